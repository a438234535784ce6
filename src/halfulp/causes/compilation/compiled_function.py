"""What torch.compile was given: the original function, the backend, its options."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import torch

from ...cases.dependencies import eager_of


@dataclass(frozen=True, eq=False)
class Compilation:
    """How a function was compiled.

    Attributes:
        original: what torch.compile was given. backend: its name. options: of inductor, those of a mode among them.
        compiler: the backend itself, where it was given as a function.
        known: False where this version of PyTorch keeps them in a place that is not known: then the defaults are taken.
    """

    original: Callable[..., Any]
    backend: str
    options: Mapping[str, Any] = field(default_factory=dict)
    known: bool = True
    compiler: Callable[..., Any] | None = None

    @property
    def is_inductor(self) -> bool:
        """Whether inductor generates its kernels (the checking backend of halfulp uses it too)."""
        return self.backend in ("inductor", "halfulp")

    @property
    def arguments(self) -> dict[str, Any]:
        """The arguments of torch.compile that compile alike."""
        if not self.is_inductor:
            return {"backend": self.compiler or self.backend}
        return {"options": dict(self.options)} if self.options else {}


ORIGINAL = ("_torchdynamo_orig_backend", "_torchdynamo_orig_callable")
"""What wraps a backend names it so; the second one until PyTorch 2.6."""


def compilation_of(function: Callable[..., Any]) -> Compilation | None:
    """How a function was compiled; None where it wasn't."""
    original = eager_of(function)
    if original is function:
        return None
    backend = _backend_of(getattr(function, "_compiled_call_impl", None) or function)
    if backend is None:
        return Compilation(original, "inductor", known=False)
    name = str(backend.compiler_name)
    options = dict(getattr(backend, "config", None) or {})
    if name == "halfulp":
        given = (getattr(backend, "kwargs", None) or {}).get("options") or {}
        options = {key: value for key, value in given.items() if not key.startswith("halfulp.")}
    compiler = getattr(backend, "compiler_fn", None) if name not in ("inductor", "halfulp") else None
    return Compilation(original, name, options, compiler=compiler)


def _backend_of(function: Callable[..., Any]) -> Any:
    context = getattr(function, "dynamo_ctx", None)
    if context is None:
        asked: Any = getattr(function, "get_compiler_config", None)
        cells = dict(zip(asked.__code__.co_freevars, asked.__closure__ or ())) if inspect.isfunction(asked) else {}
        context = cells["self"].cell_contents if "self" in cells else None
    backend = getattr(context, "callback", None)
    for name in ORIGINAL:
        while hasattr(backend, name):
            backend = getattr(backend, name)
    return backend if hasattr(backend, "compiler_name") else None


def compile_apart(function: Callable[..., Any], **arguments: Any) -> Callable[..., Any]:
    """torch.compile without regard to how often the same code was compiled before."""
    known = inspect.signature(torch.compile).parameters
    if "isolate_recompiles" in known:
        arguments["isolate_recompiles"] = True
    return torch.compile(function, **arguments)
