"""PyTorch's own samples of its ops (OpInfo): some 680 ops, 18,723 samples in float32."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np
import torch

from ...backends.adapters.with_torch import compiled_fully
from ...cases.inputs import TORCH_DTYPES
from ...cases.opinfo import drawing, op_infos
from ...cases.trees import tree_map
from ...errors import InputError
from .patterns import chosen
from .rounded import in_float64, natural_formats
from .sample import Call, Form, Group, Sample

Implementation = Literal["eager", "float64", "numpy", "compiled"]


@dataclass(frozen=True)
class OpInfo:
    """Ops on PyTorch's own samples.

    Args:
        part: its place in the plan. ops: names or patterns; the name of a variant follows the op's after a dot ("div.floor_rounding").
        actual, expected: "eager", "float64" (the op in float64, its results rounded once), "numpy" (the table's reference in NumPy or SciPy,
            where it has one), "compiled" (torch.compile).
        dtypes: formats of the inputs. device: where PyTorch's ops of `actual` run ("cuda", "mps"); those of `expected` run on the CPU. gradients: whether gradients are compared too. samples_of_each: the most of each op; 0 for all.
    """

    is_seeded: ClassVar[bool] = True
    part: int = 0
    ops: Sequence[str] = ("*",)
    actual: Implementation = "eager"
    expected: Implementation = "float64"
    dtypes: Sequence[str] = ("float32",)
    device: str = "cpu"
    gradients: bool = False
    samples_of_each: int = 0

    def paths(self) -> list[Path]:
        """None: they come with packages."""
        return []

    def groups(self) -> Iterator[Group]:
        """An op in a dtype.

        Raises:
            InputError: a pattern that fits no op, an unknown dtype, a device that is not here.
        """
        kind = _device(self.device, self.actual).type
        names = list(dict.fromkeys(map(_name, op_infos())))
        wanted = set(chosen(names, self.ops, "ops"))
        for dtype in dict.fromkeys(self.dtypes):
            if dtype not in TORCH_DTYPES:
                raise InputError(
                    f"Got the dtype {dtype!r}. Needed: one of {', '.join(TORCH_DTYPES)}. Inputs are stored in it. Name one of them."
                )
            for info in op_infos():
                has_both = all(side != "numpy" or info.ref is not None for side in (self.actual, self.expected))
                can = (
                    all(info.supports_dtype(TORCH_DTYPES[dtype], where) for where in dict.fromkeys(("cpu", kind)))
                    and has_both
                    and (not self.gradients or info.supports_autograd)
                )
                if _name(info) in wanted and can:
                    more = " with gradients" if self.gradients else ""
                    place = f" on {self.device}" if self.device != "cpu" else ""
                    yield Group("opinfo", self.part, _name(info), self.actual + place + more, self.expected + more, dtype)

    def samples(self, group: Group, seed: int) -> list[Callable[[], Sample]]:
        """The samples of an op; they are drawn all at once."""
        info = next(each for each in op_infos() if _name(each) == group.subject)
        dtype = TORCH_DTYPES[group.dtype]
        if "compiled" in (self.actual, self.expected):
            torch.compiler.reset()  # what was compiled for another op is not used again, and would be searched at each call
        with drawing(seed):
            found = list(info.sample_inputs("cpu", dtype, requires_grad=False))
        return [_maker(self, info, dtype, number, sample) for number, sample in enumerate(found[: self.samples_of_each or None], 1)]


def _name(info: Any) -> str:
    return f"{info.name}.{info.variant_test_name}" if info.variant_test_name else info.name


def _maker(source: OpInfo, info: Any, dtype: torch.dtype, number: int, sample: Any) -> Callable[[], Sample]:
    def make() -> Sample:
        inputs = tree_map(lambda item: item.detach() if isinstance(item, torch.Tensor) else item, (sample.input, *sample.args))
        keywords = dict(sample.kwargs)
        options: dict[str, Any] = {"keywords": keywords or None, "gradients": source.gradients}
        formats = natural_formats(info.op, inputs, keywords) if "float64" in (source.actual, source.expected) else []
        actual, expected = (_implemented(side, info, dtype, formats) for side in (source.actual, source.expected))
        if source.device != "cpu":
            actual = _on(torch.device(source.device), actual)
        return Sample(f"sample {number}", actual, expected, inputs, options, _call(source, info))

    return make


def _implemented(side: Implementation, info: Any, dtype: torch.dtype, formats: Sequence[torch.dtype]) -> Callable[..., Any]:
    if side == "float64":
        return in_float64(info.op, dtype, formats)
    if side == "numpy":
        return _by_numpy(info.ref, dtype)
    return compiled_fully(info.op) if side == "compiled" else info.op


def _device(name: str, side: Implementation) -> torch.device:
    """The device of this name.

    Raises:
        InputError: if it is none, is not here, or NumPy can't use it.
    """
    try:
        device = torch.device(name)
        torch.zeros(1, device=device).cpu()
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        here = ", ".join(kind for kind in ("cpu", "cuda", "mps", "xpu") if kind == "cpu" or _is_here(kind))
        raise InputError(
            f"Got the device {name!r}, where PyTorch can't compute ({str(error).splitlines()[0]}). Needed: a device of this machine: {here}. "
            "The ops of `actual` run there. Run the sweep where the device is."
        ) from error
    if side == "numpy" and device.type != "cpu":
        raise InputError(
            f'Got the device {name!r} for "numpy". Needed: "cpu". NumPy computes there alone. Take "eager" or "compiled" as `actual`.'
        )
    return device


def _is_here(kind: str) -> bool:
    module = getattr(torch, kind, None)
    return bool(module is not None and module.is_available())


def _on(device: torch.device, function: Callable[..., Any]) -> Callable[..., Any]:
    """The function with its tensors moved to a device, and its results back."""

    def moved(value: Any) -> Any:
        return value.to(device) if isinstance(value, torch.Tensor) else device if isinstance(value, torch.device) else value

    def computed(*arguments: Any, **keywords: Any) -> Any:
        results = function(*tree_map(moved, arguments), **tree_map(moved, keywords))
        return tree_map(lambda value: value.cpu() if isinstance(value, torch.Tensor) else value, results)

    return computed


def _by_numpy(reference: Callable[..., Any], dtype: torch.dtype) -> Callable[..., Any]:
    """The table's reference, with tensors in and out; results in float64 are rounded once, because NumPy widens some of them."""

    def as_array(value: Any) -> Any:
        return value.resolve_conj().resolve_neg().numpy() if isinstance(value, torch.Tensor) else value

    def as_tensor(value: Any) -> Any:
        if not isinstance(value, (np.ndarray, np.generic)):
            return value
        tensor = torch.as_tensor(np.array(value))
        return tensor.to(dtype) if tensor.dtype == torch.float64 else tensor

    def computed(*arguments: Any, **keywords: Any) -> Any:
        return tree_map(as_tensor, reference(*tree_map(as_array, arguments), **tree_map(as_array, keywords)))

    return computed


def _call(source: OpInfo, info: Any) -> Call | None:
    """How the two calls read in Python; None where the table wraps the op, the reference has no name, gradients are compared, or devices."""
    name = f"torch.{info.name}"
    if info.variant_test_name or source.device != "cpu" or source.gradients or _named(name) is not info.op:
        return None
    ways: dict[str, tuple[str, Form]] = {
        "eager": (name, ""),
        "compiled": (f"torch.compile({name})", ""),
        "float64": (name, "float64"),
        "numpy": (_name_of(info.ref), "numpy"),
    }
    (actual, own), (expected, given) = ways[source.actual], ways[source.expected]
    return Call(actual, expected, given) if actual and expected and not own else None


def _name_of(function: Any) -> str:
    """The name by which a function of NumPy or SciPy is found; "" for one that PyTorch's table defines."""
    for package in ("numpy", "scipy.special"):
        name = f"{package}.{getattr(function, '__name__', '')}"
        if function is not None and _named(name) is function:
            return name
    return ""


def _named(name: str) -> Any:
    """What a name stands for; None where nothing does."""
    package, _, rest = name.partition(".")
    try:
        found: Any = import_module(package)
        for part in rest.split("."):
            found = getattr(found, part) if hasattr(found, part) else import_module(f"{found.__name__}.{part}")
    except (ImportError, AttributeError, ValueError):
        return None
    return found
