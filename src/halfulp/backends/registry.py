"""Which backends there are: the built-in ones, by name, and those that other packages register under the entry points "halfulp.backends"."""

from __future__ import annotations

import difflib
import os
from collections.abc import Mapping
from functools import cache
from importlib import import_module, metadata
from typing import Any

from ..errors import BackendError, InputError
from .adapter import Adapter
from .interface import Availability, Backend

BUILT_IN = {
    "torch": "with_torch:Eager",
    "torch.compile": "with_torch:Compiled",
    "cuda": "with_torch:Cuda",
    "mps": "with_torch:Mps",
    "xpu": "with_torch:Xpu",
    "directml": "with_torch:DirectML",
    "numpy": "with_numpy:NumPy",
    "jax": "with_jax:Jax",
    "onnxruntime": "with_onnxruntime:OnnxRuntime",
    "openvino": "with_openvino:OpenVino",
    "executorch": "with_executorch:ExecuTorch",
    "litert": "with_litert:LiteRt",
    "mlx": "with_mlx:Mlx",
    "ncnn": "with_ncnn:Ncnn",
    "opencl": "with_opencl:OpenCl",
    "triton": "with_triton:Triton",
}
"""Name -> file in `adapters/` and class; loaded when it is asked for."""

GROUP = "halfulp.backends"


def adapter_named(name: str) -> Adapter:
    """A built-in backend as it is in this process, whether its packages are here or not.

    Raises:
        InputError: there is none of that name.
    """
    if name not in BUILT_IN:
        raise InputError(_unknown(name))
    file, _, attribute = BUILT_IN[name].partition(":")
    return getattr(import_module(f".adapters.{file}", __package__), attribute)()


def names() -> tuple[str, ...]:
    """The names of all backends: built-in ones first, then plugins."""
    return (*BUILT_IN, *(plugin for plugin in _plugins() if plugin not in BUILT_IN))


def backend(name: str, *, isolated: bool = False) -> Backend:
    """A backend, in this process where its packages are installed, else in its own environment where there is one.

    Args:
        name: "onnxruntime" ... isolated: in its own environment, in a worker process, even if its packages are here.

    Returns:
        The backend. It may not be usable: `availability()` says.

    Raises:
        InputError: there is none of that name. BackendError: a plugin that can't be loaded.

    Example:
        >>> import halfulp, torch
        >>> exported = halfulp.backend("numpy").implement(torch.exp)  # doctest: +SKIP
    """
    if name in BUILT_IN:
        from .workers.environments import environment_of

        here = adapter_named(name)
        if not isolated and here.availability():
            return here
        own = environment_of(name)
        return _remote(name) if own.python() is not None else here
    found = _plugins().get(name)
    if found is None:
        raise InputError(_unknown(name))
    try:
        loaded: Any = found.load()
        made = loaded() if isinstance(loaded, type) else loaded
    except Exception as error:
        raise BackendError(
            f"Got {type(error).__name__} while loading the backend {name!r} from {found.value}: {error}. Needed: a plugin that loads. It belongs to "
            "another package. Report it there, or set HALFULP_NO_PLUGINS=1."
        ) from error
    if not isinstance(made, Backend):
        raise BackendError(
            f"Got {type(made).__name__} as the backend {name!r} from {found.value}. Needed: an object with name, availability, fingerprint, knobs "
            "and implement. Nothing else can be used as a backend. Report it to the package that registers it."
        )
    return made


@cache
def _remote(name: str) -> Adapter:
    """One worker for each backend, however often it is asked for."""
    from .workers.environments import environment_of
    from .workers.remote import Remote

    python = environment_of(name).python()
    assert python is not None
    return Remote(adapter_named(name), python)


def availability(name: str) -> Availability:
    """Whether a backend can be used and where, without starting anything."""
    if name not in BUILT_IN:
        try:
            return backend(name).availability()
        except InputError:
            raise
        except Exception as error:  # whatever a plugin raises: the others are listed all the same
            return Availability(
                reason=str(error) if isinstance(error, BackendError) else f"its plugin fails: {type(error).__name__}: {error}"
            )
    from .workers.environments import environment_of

    here = adapter_named(name).availability()
    if here:
        return here
    own = environment_of(name)
    if own.python() is not None:
        return Availability("own environment", own.version())
    return here


def _plugins() -> Mapping[str, metadata.EntryPoint]:
    if os.environ.get("HALFULP_NO_PLUGINS", "") not in ("", "0"):
        return {}
    return {point.name: point for point in metadata.entry_points(group=GROUP)}


def _unknown(name: str) -> str:
    known = names()
    near = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
    hint = f"Did you mean {near[0]!r}? " if near else ""
    return f"Got the backend {name!r}. Needed: one of {', '.join(known)}. There is no other. {hint}`halfulp backends` lists them."
