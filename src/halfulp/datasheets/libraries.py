"""Library: the ops of one library on one device, called with NumPy arrays, so that a probe is written once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import InputError

Array = npt.NDArray[Any]


@dataclass(frozen=True)
class Library:
    """One library on one device.

    Attributes:
        name, device: "torch", "cuda:0" ...
        dtypes: names of the floating-point formats that it computes in.
        ops: by name, functions of native arrays.
        native: makes a native array from a NumPy array and a dtype's name. back: the reverse; 16-bit formats come back in float32.
    """

    name: str
    device: str
    dtypes: tuple[str, ...]
    ops: Mapping[str, Callable[..., Any]]
    native: Callable[[Array, str], Any]
    back: Callable[[Any], Array]

    def run(self, op: str, *arrays: Array, dtype: str = "float32") -> Array:
        """One op on arrays of a dtype."""
        return self.back(self.ops[op](*(self.native(each, dtype) for each in arrays)))

    def has(self, op: str) -> bool:
        """Whether the library has the op."""
        return op in self.ops


LIBRARIES = ("torch", "numpy", "jax")


def library(name: str, device: str = "cpu") -> Library:
    """A library by its name.

    Raises:
        InputError: an unknown name, a library that isn't installed, a device that isn't there.
    """
    if name not in LIBRARIES:
        raise InputError(
            f"Got the library {name!r}. Needed: one of {', '.join(LIBRARIES)}. Only these have probes. Leave --backend out for torch."
        )
    if find_spec(name) is None:
        raise InputError(f"Got {name}, which is not installed here. Needed: an environment with it. Install it with pip install {name}.")
    if name != "torch" and device != "cpu":
        raise InputError(
            f"Got the device {device!r} with {name}. Needed: cpu. Only torch's devices are reached from here. Leave --device out."
        )
    return {"torch": _torch, "numpy": _numpy, "jax": _jax}[name](device)


def _torch(device: str) -> Library:
    import torch
    import torch.nn.functional as F

    try:
        torch.zeros(1, device=device)
    except Exception as error:
        raise InputError(
            f"Got the device {device!r}, which PyTorch can't use here ({str(error).splitlines()[0]}). Needed: a device of this machine. "
            "halfulp doctor lists them."
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
    return Library("torch", device, kept, ops, native, back)


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
        lambda array, dtype: array.astype(dtype) if array.dtype.kind == "f" else array,
        lambda value: np.asarray(value, np.float32) if np.asarray(value).dtype == np.float16 else np.asarray(value),
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
        lambda array, dtype: jnp.asarray(array, dtype=dtype) if array.dtype.kind == "f" else jnp.asarray(array),
        lambda value: np.asarray(value.astype("float32") if str(value.dtype) in ("bfloat16", "float16") else value),
    )  # fmt: skip
