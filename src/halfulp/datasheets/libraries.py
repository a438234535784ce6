"""Library: the ops of one library on one device, called with NumPy arrays, so that a probe is written once.

PyTorch, NumPy and JAX are called directly: they have every function. Other backends have the ops of `backends.ops`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from ..backends import Backend, availability, backend
from ..backends.ops import OPS, OpModule
from ..errors import HalfulpError, InputError, MissingBackend
from ..floats import FORMATS

Array = npt.NDArray[Any]


@dataclass(frozen=True)
class Library:
    """One library on one device.

    Attributes:
        name, device: "torch", "cuda:0" ...
        dtypes: names of the floating-point formats that it computes in.
        ops: by name, functions of native arrays.
        native: makes a native array from a NumPy array and a dtype's name. back: the reverse; 16-bit formats come back in float32.
        backend: the one that it runs through, if it does.
    """

    name: str
    device: str
    dtypes: tuple[str, ...]
    ops: Mapping[str, Callable[..., Any]]
    native: Callable[[Array, str], Any]
    back: Callable[[Any], Array]
    backend: Backend | None = None

    def run(self, op: str, *arrays: Array, dtype: str = "float32") -> Array:
        """One op on arrays of a dtype."""
        return self.back(self.ops[op](*(self.native(array, dtype) for array in arrays)))

    def has(self, *ops: str) -> bool:
        """Whether the library has these ops."""
        return all(name in self.ops for name in ops)


def library(name: str, device: str = "cpu") -> Library:
    """A library by its name.

    Raises:
        InputError: an unknown name, a library that isn't installed, a device that isn't there. MissingBackend: one that isn't here.
    """
    chosen = backend(name)
    if name != "torch" and device != "cpu":
        raise InputError(f"Got the device {device!r} with {name}. Needed: cpu. Only torch can use other devices here. Leave --device out.")
    state = availability(name)
    if not state:
        raise MissingBackend(
            f"Got {name}, which can't be used here: {state.reason}. Needed: a library that can be used. Its numbers are measured by "
            "running it. "
            + (
                f"Install it with {state.install}."
                if state.install
                else "Provide what is missing, or run this on a machine where it can be used."
            )
        )
    # In an environment of its own it is reached through the backend only.
    direct = LIBRARIES.get(name) if state.where == "here" else None
    return _of_backend(chosen) if direct is None else direct(device)


def _torch(device: str) -> Library:
    import torch.nn.functional as F

    try:
        torch.zeros(1, device=device)
    except Exception as error:
        raise InputError(
            f"Got the device {device!r}, which PyTorch can't use here ({str(error).splitlines()[0]}). Needed: a device of this machine: "
            "cpu, or one of cuda, mps and xpu for which `halfulp backends` says that it can be used."
        ) from error

    def native(array: Array, dtype: str) -> Any:
        if array.dtype.kind != "f":
            return torch.from_numpy(array).to(device)
        return torch.from_numpy(np.ascontiguousarray(array)).to(device=device, dtype=getattr(torch, dtype))

    def back(value: Any) -> Array:
        value = value.detach()
        return (value.float() if value.dtype in (torch.bfloat16, torch.float16) else value).cpu().numpy()

    ops: dict[str, Callable[..., Any]] = {
        "add": torch.add, "mul": torch.mul, "div": torch.div, "sum": lambda x: x.sum(-1), "matmul": torch.matmul, "linear": F.linear,
        "conv2d": lambda x, w, b: F.conv2d(x, w, b, padding=1), "exp": torch.exp, "relu": torch.relu, "max": lambda x: x.max(),
        "min": lambda x: x.min(), "clamp": lambda x: x.clamp(-1.0, 1.0), "sort": lambda x: x.sort().values, "maximum": torch.maximum,
        "minimum": torch.minimum, "sqrt": torch.sqrt, "round": torch.round, "to_int32": lambda x: x.to(torch.int32),
        "to_int64": lambda x: x.to(torch.int64), "to_uint8": lambda x: x.to(torch.uint8), "floor_divide": torch.floor_divide,
        "trunc_divide": lambda x, y: torch.div(x, y, rounding_mode="trunc"), "remainder": torch.remainder, "fmod": torch.fmod,
    }  # fmt: skip
    kept = ("float32", "float64", "bfloat16", "float16") if device != "mps" else ("float32", "bfloat16", "float16")
    return Library("torch", device, kept, ops, native=native, back=back)


def _numpy(device: str) -> Library:
    ops: dict[str, Callable[..., Any]] = {
        "add": np.add, "mul": np.multiply, "div": np.divide, "sum": lambda x: x.sum(-1), "matmul": np.matmul,
        "linear": lambda x, w, b: x @ w.T + b, "exp": np.exp, "relu": lambda x: np.maximum(x, x.dtype.type(0)), "max": np.max, "min":
        np.min,
        "clamp": lambda x: np.clip(x, -1.0, 1.0), "sort": np.sort, "maximum": np.maximum, "minimum": np.minimum, "sqrt": np.sqrt,
        "round": np.rint, "to_int32": lambda x: x.astype(np.int32), "to_int64": lambda x: x.astype(np.int64),
        "to_uint8": lambda x: x.astype(np.uint8), "floor_divide": np.floor_divide, "remainder": np.remainder, "fmod": np.fmod,
    }  # fmt: skip
    return Library(
        "numpy", device, ("float32", "float64", "float16"), ops,
        native=lambda array, dtype: array.astype(dtype) if array.dtype.kind == "f" else array,
        back=lambda value: np.asarray(value, np.float32) if np.asarray(value).dtype == np.float16 else np.asarray(value),
    )  # fmt: skip


def _jax(device: str) -> Library:
    import jax  # pyright: ignore[reportMissingImports]
    import jax.numpy as jnp  # pyright: ignore[reportMissingImports]

    def convolved(x: Any, w: Any, b: Any) -> Any:
        return jax.lax.conv_general_dilated(x, w, (1, 1), ((1, 1), (1, 1))) + b[None, :, None, None]

    ops: dict[str, Callable[..., Any]] = {
        "add": jnp.add, "mul": jnp.multiply, "div": jnp.divide, "sum": lambda x: x.sum(-1), "matmul": jnp.matmul,
        "linear": lambda x, w, b: x @ w.T + b, "conv2d": convolved, "exp": jnp.exp, "relu": jax.nn.relu, "max": jnp.max, "min": jnp.min,
        "clamp": lambda x: jnp.clip(x, -1.0, 1.0), "sort": jnp.sort, "maximum": jnp.maximum, "minimum": jnp.minimum, "sqrt": jnp.sqrt,
        "round": jnp.round, "to_int32": lambda x: x.astype(jnp.int32), "to_uint8": lambda x: x.astype(jnp.uint8),
        "floor_divide": jnp.floor_divide, "remainder": jnp.remainder, "fmod": jnp.fmod,
    }  # fmt: skip
    return Library(
        "jax", device, ("float32", "bfloat16", "float16"), ops,
        native=lambda array, dtype: jnp.asarray(array, dtype=dtype) if array.dtype.kind == "f" else jnp.asarray(array),
        back=lambda value: np.asarray(value.astype("float32") if str(value.dtype) in ("bfloat16", "float16") else value),
    )  # fmt: skip


_ATTRIBUTES: dict[str, dict[str, Any]] = {"conv2d": {"padding": 1}}
"""Of ops as probes call them."""


def _of_backend(chosen: Backend) -> Library:
    """The ops of the table that a backend has. Weights are part of what it builds: ops that have some are built for each call."""

    def op_of(name: str) -> Callable[..., Any]:
        op = OPS[name]

        def run(*tensors: torch.Tensor) -> torch.Tensor:
            given, weights = tensors[: len(op.activations)], dict(zip(op.weights, tensors[len(op.activations) :]))
            return chosen.implement(OpModule(op, weights, _ATTRIBUTES.get(name, {})))(*given)

        # One implementation keeps what it has built for each shape.
        return run if op.weights else chosen.implement(OpModule(op, {}, _ATTRIBUTES.get(name, {})))

    return Library(
        chosen.name, "cpu", tuple(word for word in PROBED if _runs(chosen, "matmul", word)),
        {name: op_of(name) for name in OPS if _runs(chosen, name, "float32")},
        native=lambda array, dtype: torch.from_numpy(np.ascontiguousarray(array)).to(getattr(torch, dtype)),
        back=lambda value: (value.float() if FORMATS[str(value.dtype).removeprefix("torch.")].storage_bits < 32 else value).numpy(),
        backend=chosen,
    )  # fmt: skip


PROBED = ("float32", "float64", "bfloat16", "float16")


def _runs(chosen: Backend, name: str, dtype: str) -> bool:
    module, activations = OPS[name].drawn(OPS[name].sizes[0], dtype=getattr(torch, dtype))
    try:
        chosen.implement(module)(*activations)
    except HalfulpError:  # it lacks the op, or fails at it
        return False
    return True


LIBRARIES: dict[str, Callable[[str], Library]] = {"torch": _torch, "numpy": _numpy, "jax": _jax}
"""Libraries that are called directly, on a device."""
