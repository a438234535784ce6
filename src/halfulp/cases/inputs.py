"""Inputs as a tree of tensors and arrays: copied, cast, moved to a device, or replaced by small integers."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch.utils._pytree import tree_map

from ..floats import FORMATS, Format

TORCH_DTYPES: dict[str, torch.dtype] = {name: getattr(torch, name) for name in FORMATS if hasattr(torch, name)}
"""The formats that PyTorch has a dtype for (tf32 is a way to compute, not to store)."""


def map_arrays(inputs: Any, on_tensor: Callable[[torch.Tensor], Any], on_array: Callable[[np.ndarray[Any, Any]], Any]) -> Any:
    """Apply a function to every tensor and every NumPy array of a nested structure; leave everything else."""

    def visit(value: Any) -> Any:
        if isinstance(value, torch.Tensor):
            return on_tensor(value)
        return on_array(np.asarray(value)) if isinstance(value, (np.ndarray, np.generic)) else value

    return tree_map(visit, inputs)


def copied(inputs: Any) -> Any:
    """The same values in memory of their own, with the same strides and the same aliasing between arguments lost.

    A view keeps its layout: overlapping memory stays overlapping, because the storage is copied and viewed the same way.
    """
    storages: dict[int, torch.Tensor] = {}

    def copy_tensor(value: torch.Tensor) -> torch.Tensor:
        plain = value.detach()
        if plain.layout != torch.strided or plain.is_quantized:
            return plain.clone().requires_grad_(value.requires_grad)
        storage = plain.untyped_storage()
        # Parts of one storage stay parts of one storage; a storage far larger than the view is not copied whole.
        if storage.nbytes() > 4 * max(1, plain.numel()) * plain.element_size() + 4096 or not storage.nbytes():
            fresh = torch.empty_strided(plain.shape, plain.stride(), dtype=plain.dtype, device=plain.device) if _dense(plain) else None
            result = plain.clone() if fresh is None else fresh.copy_(plain)
        else:
            key = storage.data_ptr()
            if key not in storages:
                storages[key] = torch.empty(0, dtype=torch.uint8, device=plain.device).set_(storage.clone())
            result = torch.empty(0, dtype=plain.dtype, device=plain.device).set_(
                storages[key].untyped_storage(), plain.storage_offset(), plain.shape, plain.stride()
            )
        if plain.is_conj():
            result = result.conj()
        return result.requires_grad_(value.requires_grad)

    return map_arrays(inputs, copy_tensor, lambda array: array.copy())


def _dense(tensor: torch.Tensor) -> bool:
    return (
        tensor.is_contiguous() or tensor.is_contiguous(memory_format=torch.channels_last) if tensor.dim() == 4 else tensor.is_contiguous()
    )


def cast(inputs: Any, sources: frozenset[torch.dtype], target: torch.dtype) -> Any:
    """Every tensor and array of a source dtype in the target dtype, in memory of its own, with its strides where it is dense."""
    names = {str(each).removeprefix("torch.") for each in sources}
    numpy_target = str(target).removeprefix("torch.")

    def cast_tensor(value: torch.Tensor) -> torch.Tensor:
        if value.dtype not in sources:
            return value
        return value.detach().to(target, memory_format=torch.preserve_format, copy=True).requires_grad_(value.requires_grad)

    def cast_array(value: np.ndarray[Any, Any]) -> Any:
        return value.astype(numpy_target) if value.dtype.name in names else value

    return map_arrays(inputs, cast_tensor, cast_array)


def on_device(inputs: Any, device: torch.device | None) -> Any:
    """Every tensor on the device (nothing moves when the device is None)."""
    if device is None:
        return inputs
    return map_arrays(inputs, lambda value: value.to(device), lambda array: array)


def as_small_integers(inputs: Any, seed: int, *, largest: int = 3) -> Any:
    """Every floating-point input replaced by random integers in [-largest, largest] of the same shape, dtype and strides.

    Sums and products of small integers are exact in any order, so a difference that remains is none of rounding.
    """
    generator = torch.Generator().manual_seed(seed)

    def replace_tensor(value: torch.Tensor) -> torch.Tensor:
        if not value.is_floating_point():
            return value
        drawn = torch.randint(-largest, largest + 1, tuple(value.shape), generator=generator)
        fresh = torch.empty_like(value, requires_grad=False)
        return fresh.copy_(drawn).requires_grad_(value.requires_grad)

    def replace_array(value: np.ndarray[Any, Any]) -> Any:
        if value.dtype.kind != "f":
            return value
        drawn = torch.randint(-largest, largest + 1, tuple(value.shape), generator=generator).numpy()
        return drawn.astype(value.dtype)

    return map_arrays(inputs, replace_tensor, replace_array)


def moved_slightly(inputs: Any, seed: int) -> Any:
    """Every floating-point number moved by a random relative amount of up to the root of its format's eps (3e-4 for float32).

    Halfway, in bits, between an ulp and the number itself: all rounding errors are drawn anew, also those of sums much larger than
    their terms, while a smooth function of the inputs hardly changes.
    """
    generator = torch.Generator().manual_seed(seed)

    def move_tensor(value: torch.Tensor) -> torch.Tensor:
        if not value.is_floating_point():
            return value
        amounts = 2.0 * torch.rand(tuple(value.shape), generator=generator, dtype=torch.float64) - 1.0
        factor = (1.0 + amounts * math.sqrt(torch.finfo(value.dtype).eps)).to(value.device)
        return (value.detach().to(torch.float64) * factor).to(value.dtype).requires_grad_(value.requires_grad)

    def move_array(value: np.ndarray[Any, Any]) -> Any:
        return move_tensor(torch.from_numpy(np.ascontiguousarray(value))).numpy().reshape(value.shape) if value.dtype.kind == "f" else value

    return map_arrays(inputs, move_tensor, move_array)


def float_formats(inputs: Any) -> list[Format]:
    """The floating-point formats that occur among the inputs."""
    found: dict[str, Format] = {}

    def note(value: Any) -> Any:
        name = str(value.dtype).removeprefix("torch.")
        name = {"complex64": "float32", "complex128": "float64"}.get(name, name)
        if name in FORMATS:
            found[name] = FORMATS[name]
        return value

    map_arrays(inputs, note, note)
    return list(found.values())
