"""Inputs as a tree of tensors and arrays: copied, cast, moved to a device, or replaced by small integers."""

from __future__ import annotations

import copy
import functools
import math
import types
from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from ..containers import named_in
from ..errors import InputError, shortened
from ..floats import FORMATS, Format
from .trees import tree_map

TORCH_DTYPES: dict[str, torch.dtype] = {name: getattr(torch, name) for name in FORMATS if hasattr(torch, name)}
"""The formats that PyTorch has a dtype for (tf32 is a way to compute, not to store)."""


def map_arrays(
    inputs: Any,
    on_tensor: Callable[[torch.Tensor], Any],
    on_array: Callable[[np.ndarray[Any, Any]], Any],
    on_other: Callable[[Any], Any] | None = None,
) -> Any:
    """Apply a function to every tensor and every NumPy array of a nested structure.

    Args:
        inputs: lists, tuples, dicts, dataclasses, nodes of PyTorch's pytree, and objects; an object that holds any is copied, once
            however often it occurs.
        on_tensor, on_array: what takes their place. on_other: likewise for whatever else has no arrays inside; by default it stays.

    Raises:
        InputError: an object that holds tensors can't be copied.
    """
    return tree_map(functools.partial(_visited, on_tensor, on_array, on_other, {}), inputs)


def _visited(
    on_tensor: Callable[[torch.Tensor], Any],
    on_array: Callable[[np.ndarray[Any, Any]], Any],
    on_other: Callable[[Any], Any] | None,
    copies: dict[int, Any],
    value: Any,
) -> Any:
    # No nested function: one that names itself is a cycle, which would keep the tensors of a run until garbage is collected.
    if isinstance(value, torch.Tensor):
        return on_tensor(value)
    if isinstance(value, (np.ndarray, np.generic)):
        return on_array(np.asarray(value))
    if isinstance(value, _ATOMS):
        return value
    if isinstance(value, torch.Generator):
        return value if on_other is None else on_other(value)
    held = dict(named_in(value, "", _is_exchanged)).values()
    if not held:
        return value if on_other is None else on_other(value)
    for part in held:
        if id(part) not in copies:
            exchanged = _visited(on_tensor, on_array, on_other, copies, part)
            is_parameter = isinstance(part, torch.nn.Parameter) and isinstance(exchanged, torch.Tensor)
            copies[id(part)] = torch.nn.Parameter(exchanged.detach(), part.requires_grad) if is_parameter else exchanged
    return deep_copy(value, copies)


_ATOMS = (int, float, complex, str, bytes, bool, type, type(None), types.FunctionType, types.BuiltinFunctionType, types.ModuleType,
          torch.dtype, torch.device, torch.layout, torch.memory_format)  # fmt: skip
"""What nobody can change."""


def _is_exchanged(value: object) -> bool:
    return isinstance(value, (torch.Tensor, np.ndarray, torch.Generator))


def deep_copy(value: Any, copies: dict[int, Any] | None = None) -> Any:
    """A copy of an object with everything that it holds.

    Args:
        value: the object. copies: id of a part -> what takes its place.

    Raises:
        InputError: it can't be copied.
    """
    try:
        return copy.deepcopy(value, copies)
    except Exception as error:  # whatever the class of an object says
        raise InputError(
            f"Got an object of class {type(value).__name__} among the inputs, which can't be copied ({type(error).__name__}: "
            f"{shortened(str(error), lines=1, characters=160)}). Each run of a side gets inputs of its own, because a run may change them. "
            "Make the object inside both functions, or give its class a __deepcopy__ method."
        ) from error


def copied(inputs: Any, *, but: frozenset[torch.dtype] = frozenset()) -> Any:
    """The same values in memory of their own, with the same strides and the same aliasing between arguments lost.

    A view keeps its layout: overlapping memory stays overlapping, because the storage is copied and viewed the same way.

    Args:
        but: tensors of these dtypes stay as they are, for a `cast` that copies them.
    """
    storages: dict[int, torch.Tensor] = {}

    def copy_tensor(value: torch.Tensor) -> torch.Tensor:
        if value.dtype in but:
            return value
        plain = value.detach().resolve_neg()
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

    return map_arrays(inputs, copy_tensor, lambda array: array.copy(), _own)


def _own(value: Any) -> Any:
    """A copy of what has no arrays; a generator starts where the user's is, so that the user's stays there."""
    if not isinstance(value, torch.Generator):
        return deep_copy(value)
    own = torch.Generator(value.device)
    own.set_state(value.get_state())
    return own


def _dense(tensor: torch.Tensor) -> bool:
    return (
        tensor.is_contiguous() or tensor.is_contiguous(memory_format=torch.channels_last) if tensor.dim() == 4 else tensor.is_contiguous()
    )


def cast(inputs: Any, sources: frozenset[torch.dtype], target: torch.dtype) -> Any:
    """Every tensor and array of a source dtype in the target dtype, in memory of its own, with its strides where it is dense."""
    names = {str(source).removeprefix("torch.") for source in sources}
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


def by_parts(change: Callable[[torch.Tensor], torch.Tensor]) -> Callable[[torch.Tensor], torch.Tensor]:
    """A change of real tensors that takes complex ones as their real and imaginary parts, in an axis more."""

    def changed(value: torch.Tensor) -> torch.Tensor:
        if not value.is_complex():
            return change(value)
        parts = change(torch.view_as_real(value.detach().resolve_conj()))
        return torch.view_as_complex(parts.contiguous()).requires_grad_(value.requires_grad)

    return changed


def as_small_integers(inputs: Any, seed: int, *, largest: int = 3) -> Any:
    """Every floating-point input replaced by random integers in [-largest, largest] of the same shape, dtype and strides.

    Sums and products of small integers are exact in any order, so a difference that remains is none of rounding.
    """
    generator = torch.Generator().manual_seed(seed)

    @by_parts
    def replace_tensor(value: torch.Tensor) -> torch.Tensor:
        if not value.is_floating_point():
            return value
        drawn = torch.randint(-largest, largest + 1, tuple(value.shape), generator=generator)
        fresh = torch.empty_like(value, requires_grad=False)
        return fresh.copy_(drawn).requires_grad_(value.requires_grad)

    def replace_array(value: np.ndarray[Any, Any]) -> Any:
        if value.dtype.kind not in "fc":
            return value
        parts = [torch.randint(-largest, largest + 1, tuple(value.shape), generator=generator).numpy() for _ in range(2)]
        return (parts[0] + 1j * parts[1] if value.dtype.kind == "c" else parts[0]).astype(value.dtype)

    return map_arrays(inputs, replace_tensor, replace_array)


def as_impulses(inputs: Any, seed: int) -> Any:
    """Small integers as in `as_small_integers`, but in the first floating-point input only one of each row along the last axis is kept.

    A result of a linear function then holds one or a few products, exact in every format however long the sum is.
    """
    generator = torch.Generator().manual_seed(seed + 1)
    is_first = True

    def thin(value: torch.Tensor) -> torch.Tensor:
        nonlocal is_first
        if not is_first or not value.is_floating_point() or not value.dim() or not value.numel():
            return value
        is_first = False
        kept = torch.zeros(value.shape, dtype=torch.bool)
        kept.scatter_(-1, torch.randint(0, value.shape[-1], (*value.shape[:-1], 1), generator=generator), True)
        values = torch.where(value.detach() == 0, torch.ones_like(value), value.detach())
        return torch.where(kept.to(value.device), values, torch.zeros_like(values)).requires_grad_(value.requires_grad)

    def thin_array(value: np.ndarray[Any, Any]) -> Any:
        return thin(torch.from_numpy(np.ascontiguousarray(value))).numpy() if value.dtype.kind == "f" and value.ndim else value

    return map_arrays(as_small_integers(inputs, seed), thin, thin_array)


def scaled(inputs: Any, factor: float, *, spare_flags: bool = False) -> Any:
    """Every floating-point number multiplied by a factor.

    Args:
        inputs: see above. factor: what they are multiplied by. spare_flags: what holds nothing but 0 and 1 stays.
    """

    def scale(value: torch.Tensor) -> torch.Tensor:
        is_number = (value.is_floating_point() or value.is_complex()) and not (spare_flags and are_flags(value))
        return (value.detach() * factor).requires_grad_(value.requires_grad) if is_number else value

    def scale_array(array: np.ndarray[Any, Any]) -> Any:
        is_number = array.dtype.kind in "fc" and not (spare_flags and are_flags(array))
        return array * array.dtype.type(factor) if is_number else array

    return map_arrays(inputs, scale, scale_array)


def are_flags(value: torch.Tensor | np.ndarray[Any, Any]) -> bool:
    """Whether an array holds nothing but 0 and 1: labels, masks, one-hot numbers."""
    return bool(((value == 0) | (value == 1)).all())


def permuted(inputs: Any, length: int, order: torch.Tensor) -> Any:
    """Every tensor with the axes of that length taken in another order, the same for all."""

    def take(value: torch.Tensor) -> torch.Tensor:
        for axis, present in enumerate(value.shape):
            if present == length:
                value = value.detach().index_select(axis, order.to(value.device)).requires_grad_(value.requires_grad)
        return value

    def take_array(array: np.ndarray[Any, Any]) -> Any:
        for axis, present in enumerate(array.shape):
            if present == length:
                array = np.take(array, order.numpy(), axis=axis)
        return array

    return map_arrays(inputs, take, take_array)


def can_move(inputs: Any) -> bool:
    """Whether a tensor or an array holds floating-point numbers that `moved_slightly` moves."""
    found: list[bool] = []

    def seen(value: Any) -> Any:
        is_tensor = isinstance(value, torch.Tensor)
        found.append(value.is_floating_point() or value.is_complex() if is_tensor else value.dtype.kind in "fc")
        return value

    map_arrays(inputs, seen, seen)
    return any(found)


def moved_slightly(inputs: Any, seed: int, *, farther: float = 0.0, numbers: bool = False, spare_flags: bool = False) -> Any:
    """Every floating-point number moved by a random relative amount of up to the root of its format's eps, at least 3e-4.

    Args:
        inputs: see above. seed: of the amounts. farther: up to so much instead, where it is more. numbers: Python's own floats too; beside
            tensors these are settings more often than data. spare_flags: what holds nothing but 0 and 1 stays.

    Halfway, in bits of float32, between an ulp and the number itself: all rounding errors are drawn anew, also those of sums much larger
    than their terms and those of a float64 function's float32 steps, while a smooth function of the inputs hardly changes.
    """
    generator = torch.Generator().manual_seed(seed)

    @by_parts
    def move_tensor(value: torch.Tensor) -> torch.Tensor:
        if not value.is_floating_point() or (spare_flags and are_flags(value)):
            return value
        amounts = 2.0 * torch.rand(tuple(value.shape), generator=generator, dtype=torch.float64) - 1.0
        factor = 1.0 + amounts * max(farther, math.sqrt(max(torch.finfo(value.dtype).eps, FLOAT32_EPS)))
        # On the processor: not every device has float64.
        moved = (value.detach().cpu().to(torch.float64) * factor).to(value.dtype)
        return moved.to(value.device).requires_grad_(value.requires_grad)

    def move_array(value: np.ndarray[Any, Any]) -> Any:
        return (
            move_tensor(torch.from_numpy(np.ascontiguousarray(value))).numpy().reshape(value.shape) if value.dtype.kind in "fc" else value
        )

    def move_number(value: Any) -> Any:
        return float(move_tensor(torch.tensor(value, dtype=torch.float64))) if isinstance(value, float) else value

    moved = tree_map(move_number, inputs) if numbers else inputs
    return map_arrays(moved, move_tensor, move_array)


def filled_up(inputs: Any, seed: int) -> Any:
    """Every float64 number with random bits below its 24th, where a lifted float32 number has zeros that make sums exact by chance."""
    generator = torch.Generator().manual_seed(seed)

    @by_parts
    def fill(value: torch.Tensor) -> torch.Tensor:
        if value.dtype != torch.float64:
            return value
        amounts = 2.0 * torch.rand(tuple(value.shape), generator=generator, dtype=torch.float64) - 1.0
        return (value.detach() * (1.0 + (amounts * FLOAT32_EPS).to(value.device))).requires_grad_(value.requires_grad)

    def fill_array(value: np.ndarray[Any, Any]) -> Any:
        return (
            fill(torch.from_numpy(np.ascontiguousarray(value))).numpy().reshape(value.shape)
            if value.dtype in (np.float64, np.complex128)
            else value
        )

    return map_arrays(inputs, fill, fill_array)


FLOAT32_EPS = 2.0**-23


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
