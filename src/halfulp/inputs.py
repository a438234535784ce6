"""Nasty inputs: variants of the given ones on which real reports found what the given ones hid.

Values (a large mean, cancellation, ties, NaN ...), layouts (views with gaps and offsets), sizes (tails, one, none), rows (zero, of other
magnitudes), integers and flags (large ones, rows without any) and numbers whose squares overflow or vanish, each with a label.
Sizes are changed consistently: every axis of one length, in all tensors, changes alike, as `x @ w` needs it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from .cases.inputs import copied, map_arrays

VECTOR = 16
"""float32 numbers in the widest vector register in use (AVX-512); kernels treat what is left over beyond its multiples separately."""


@dataclass(frozen=True)
class InputVariant:
    """Inputs that differ from the given ones in one respect.

    Attributes:
        label: which respect, in a few words. kind: one of `KINDS`.
        inputs: the tuple of arguments, in memory of its own.
    """

    label: str
    kind: str
    inputs: tuple[Any, ...]


KINDS = ("values", "layout", "sizes", "rows", "integers", "magnitudes", "specials", "empty")
EXOTIC = ("magnitudes", "specials", "empty")
"""Kinds on which honest implementations may differ: squares overflow in one of them alone, a Fourier transform spreads a NaN, the mean
of nothing is NaN or zero."""
WHERE_DEFINED = ("rows", "integers", "magnitudes")
"""Kinds on which a function may have no result: rows without a key, sums beyond the format. They count where `expected` has one."""
Change = Callable[[torch.Tensor, torch.Generator], torch.Tensor]


def variants(inputs: Any, seed: int = 0) -> Iterator[InputVariant]:
    """Labeled variants of a function's inputs, most ordinary first.

    Args:
        inputs: a tuple of positional arguments: tensors, arrays, numbers, nested containers. They are copied, never changed.
        seed: for the values that are drawn.

    Yields:
        `InputVariant`s; only those that change something. Functions may refuse some (sizes that their weights don't have): that is no
        mistake, and `check(..., search=True)` passes over a variant that `expected` refuses.

    Example:
        >>> import torch
        >>> [each.label for each in variants((torch.ones(2, 3),)) if each.kind == "layout"]
        ['not contiguous', 'at an offset in memory']
    """
    given = tuple(inputs) if isinstance(inputs, (tuple, list)) else (inputs,)
    for kind, table in (("values", _VALUES), ("layout", _LAYOUTS)):
        for label, change in table.items():
            changed = _changed(given, change, seed)
            if changed is not None:
                yield InputVariant(label, kind, changed)
    yield from _sizes(given, seed)
    duplicated = _changed(given, _duplicated, seed, _is_index)
    if duplicated is not None:
        yield InputVariant("duplicated indices", "values", duplicated)
    for label, change in _ROWS.items():
        changed = _changed(given, change, seed)
        if changed is not None:
            yield InputVariant(label, "rows", changed)
    for label, (kind, change) in _INTEGERS.items():
        changed = _changed(given, change, seed, kind)
        if changed is not None:
            yield InputVariant(label, "integers", changed)
    for label, change in _MAGNITUDES.items():
        changed = _changed(given, change, seed)
        if changed is not None:
            yield InputVariant(label, "magnitudes", changed)
    for label, change in _SPECIALS.items():
        changed = _changed(given, change, seed)
        if changed is not None:
            yield InputVariant(label, "specials", changed)
    yield from _sizes(given, seed, empty=True)


def _is_floating(dtype: torch.dtype) -> bool:
    return dtype.is_floating_point


def _is_index(dtype: torch.dtype) -> bool:
    return dtype in (torch.int32, torch.int64)


def _is_narrow(dtype: torch.dtype) -> bool:
    """Integers that are quantities: too few for indices."""
    return dtype in (torch.int8, torch.uint8, torch.int16)


def _is_flag(dtype: torch.dtype) -> bool:
    return dtype is torch.bool


def _changed(
    given: tuple[Any, ...], change: Change, seed: int, kind: Callable[[torch.dtype], bool] = _is_floating
) -> tuple[Any, ...] | None:
    """The inputs with every tensor of a kind of dtypes changed; None where nothing is."""
    generator = torch.Generator().manual_seed(seed)
    touched = False

    def on_tensor(value: torch.Tensor) -> torch.Tensor:
        nonlocal touched
        if not kind(value.dtype) or not value.numel() or value.layout != torch.strided:
            return value
        # Numbers are made on the processor: masks and factors are there, and not every device has float64.
        plain = value.detach() if change in _LAYOUTS.values() else value.detach().cpu()
        if value.is_floating_point() and value.itemsize == 1 and change not in _LAYOUTS.values():
            plain = plain.float()  # PyTorch computes nothing with floats of 8 bits
        fresh = change(plain, generator)
        if fresh is plain:
            return value
        touched = True
        if fresh.dtype is not value.dtype and value.is_floating_point() and value.itemsize == 1:
            largest = torch.finfo(value.dtype).max  # what is larger would become NaN
            fresh = torch.where(torch.isfinite(fresh), fresh.clamp(-largest, largest), fresh).to(value.dtype)
        return fresh.to(value.device).requires_grad_(value.requires_grad)

    def on_array(value: np.ndarray[Any, Any]) -> Any:
        if value.dtype.kind not in "fiub" or not value.dtype.isnative or value.dtype.itemsize > 8:
            return value
        return on_tensor(torch.from_numpy(np.ascontiguousarray(value))).numpy()

    result = map_arrays(copied(given), on_tensor, on_array)
    return result if touched else None


def _spread(x: torch.Tensor) -> float:
    finite = x[torch.isfinite(x)].double()
    return float(finite.square().mean().sqrt()) if finite.numel() and bool((finite != 0).any()) else 1.0


def _some(x: torch.Tensor, generator: torch.Generator, share: float = 0.05) -> torch.Tensor:
    """A mask of a few random elements, at least one."""
    chosen = torch.rand(x.shape, generator=generator) < share
    chosen.view(-1)[int(torch.randint(0, x.numel(), (), generator=generator))] = True
    return chosen


def _uniform(x: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    return torch.rand(x.shape, generator=generator, dtype=torch.float64)


def _normal(x: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    return torch.randn(x.shape, generator=generator, dtype=torch.float64)


def _wide(x: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    return (x.double() * torch.exp2(24.0 * _uniform(x, generator) - 12.0)).to(x.dtype)


def _cancelling(x: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    """Every second number along the last axis is nearly the opposite of the one before."""
    if x.dim() == 0 or x.shape[-1] < 2:
        return x
    fresh = x.clone()
    half = x.shape[-1] // 2
    fresh[..., 1 : 2 * half : 2] = -fresh[..., 0 : 2 * half : 2] * (1.0 + 2.0**-6)
    return fresh


def _zeros_filled(x: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    return _normal(x, generator).to(x.dtype) if not bool((x != 0).any()) else x


def _with(value: float) -> Change:
    def change(x: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
        return torch.where(_some(x, generator), torch.full_like(x, value), x)

    return change


def _duplicated(x: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    places = torch.randint(0, max(1, x.numel() // 2), (x.numel(),), generator=generator)
    return x.reshape(-1)[places].reshape(x.shape) if x.numel() > 1 else x


def _thousandfold(x: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    """Ids, positions, counts a thousand times as large, where the dtype holds them; what is an index is refused by `expected` then."""
    fits = int(x.abs().max()) * 1000 <= torch.iinfo(x.dtype).max
    return x * 1000 if fits and bool(x.any()) else x


def _from_afar(x: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    """Integers drawn from a thousand times their range: ids that no table has a place for. Sorted ones stay sorted."""
    largest = min(1000 * int(x.abs().max()), torch.iinfo(x.dtype).max)
    if not largest:
        return x
    fresh = torch.randint(-largest if bool((x < 0).any()) else 0, largest, x.shape, generator=generator).to(x.dtype)
    is_sorted = x.dim() == 1 and bool((x[1:] >= x[:-1]).all())
    return fresh.sort().values if is_sorted else fresh


def _over_the_range(x: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    """Numbers over the whole range of their type; none is negative where none was."""
    ends = torch.iinfo(x.dtype)
    low = ends.min if bool((x < 0).any()) else 0
    return torch.randint(low, ends.max + 1, x.shape, generator=generator).to(x.dtype)


def _row_off(x: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    if not x.dim() or not bool(x.any()):
        return x
    fresh = x.clone()
    fresh.view(-1, x.shape[-1])[0] = False
    return fresh


def _every_second_row(x: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    """Zero from the first row on: what is counted over rows that have something is off from there."""
    if x.dim() < 2 or x.shape[0] < 2:
        return x
    fresh = x.clone()
    fresh[::2] = 0
    return fresh


def _halves(x: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    """The first half along each axis 2^12 times larger: of a matrix, what one block adds to another is all that is left of it."""
    factor = torch.ones(x.shape, dtype=torch.float64)
    for axis, length in enumerate(x.shape):
        factor.narrow(axis, 0, length // 2).mul_(2.0**12)
    return (x.double() * factor).to(x.dtype) if x.dim() > 1 else x


_ROWS: dict[str, Change] = {"every second row zero": _every_second_row, "halves of very different magnitudes": _halves}

_INTEGERS: dict[str, tuple[Callable[[torch.dtype], bool], Change]] = {
    "integers a thousand times larger": (_is_index, _thousandfold),
    "integers from a thousand times their range": (_is_index, _from_afar),
    "all integers the same": (_is_index, lambda x, g: x.max().expand(x.shape).clone() if bool((x != x.max()).any()) else x),
    "integers over the whole range of their type": (_is_narrow, _over_the_range),
    "the largest integers of their type": (_is_narrow, lambda x, g: torch.full_like(x, torch.iinfo(x.dtype).max)),
    "a row of flags that are all off": (_is_flag, _row_off),
    "all flags on": (_is_flag, lambda x, g: x if bool(x.all()) else torch.ones_like(x)),
}


_VALUES: dict[str, Change] = {
    "other numbers of the same magnitude": lambda x, g: (_normal(x, g) * _spread(x)).to(x.dtype),
    "zeros replaced by nonzero numbers": _zeros_filled,
    "all numbers positive": lambda x, g: x.abs() if bool((x < 0).any()) else x,
    "all numbers negative": lambda x, g: -x.abs() if bool((x > 0).any()) else x,
    "a large mean": lambda x, g: x + 100.0 * _spread(x),
    "a mean a thousand times the spread": lambda x, g: x + 1000.0 * _spread(x),
    "numbers of very different magnitudes": _wide,
    "sums that cancel": _cancelling,
    "ties": lambda x, g: (torch.round(2.0 * x.double() / _spread(x)) / 2.0 * _spread(x)).to(x.dtype),
    "integers": lambda x, g: torch.round(x.double() / _spread(x) * 3.0).to(x.dtype),
    "numbers a thousand times larger": lambda x, g: x * 1000.0,
    "numbers a thousand times smaller": lambda x, g: x / 1000.0,
    "half of the numbers zero": lambda x, g: torch.where(_uniform(x, g) < 0.5, torch.zeros_like(x), x),
    "all numbers the same": lambda x, g: torch.full_like(x, _spread(x)),
    "all numbers zero": lambda x, g: torch.zeros_like(x),
}


def _with_gaps(x: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    if x.dim() == 0:
        return x
    wide = torch.zeros(*x.shape[:-1], 2 * x.shape[-1], dtype=x.dtype, device=x.device)
    view = wide[..., ::2]
    return view.copy_(x)


def _with_offset(x: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    return torch.cat([torch.zeros(1, dtype=x.dtype, device=x.device), x.reshape(-1)])[1:].view(x.shape)


_LAYOUTS: dict[str, Change] = {
    "not contiguous": _with_gaps,
    "at an offset in memory": _with_offset,
    "stored with their axes in reverse order": lambda x, g: (
        x.permute(*reversed(range(x.dim()))).contiguous().permute(*reversed(range(x.dim()))) if x.dim() > 2 else x
    ),
    "stored channels-last": lambda x, g: x.contiguous(memory_format=torch.channels_last) if x.dim() == 4 else x,
}


def _about(size: float) -> Change:
    def change(x: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
        ends = torch.finfo(x.dtype)
        is_held = bool((x != 0).any()) and ends.tiny * 2.0**24 < size < ends.max * 2.0**-24
        return (x.double() / _spread(x) * size).to(x.dtype) if is_held else x

    return change


_MAGNITUDES: dict[str, Change] = {
    "numbers whose squares overflow": _about(2.0**68),
    "numbers whose squares vanish": _about(2.0**-76),
}
"""Of float32 and bfloat16, whose largest number is 2^128 and whose smallest is 2^-149."""

_SPECIALS: dict[str, Change] = {
    "subnormal numbers": lambda x, g: (_normal(x, g) * 0.25 * torch.finfo(x.dtype).tiny).to(x.dtype),
    "zeros of both signs": lambda x, g: torch.where(_uniform(x, g) < 0.5, torch.zeros_like(x), -torch.zeros_like(x)),
    "numbers close to overflow": lambda x, g: (x.double() / _spread(x) * torch.finfo(x.dtype).max ** 0.5 * 0.1).to(x.dtype),
    "some infinities": _with(float("inf")),
    "some negative infinities": _with(float("-inf")),
    "some NaNs": _with(float("nan")),
}


def _sizes(given: tuple[Any, ...], seed: int, *, empty: bool = False) -> Iterator[InputVariant]:
    """For each length that occurs: one less, one more, the next multiple of a vector register and one more, one; or none."""
    lengths: list[int] = []

    def note(value: torch.Tensor) -> torch.Tensor:
        lengths.extend(value.shape)
        return value

    map_arrays(given, note, lambda array: note(torch.from_numpy(array)).numpy() if array.dtype.kind in "fiub" and array.ndim else array)
    for length in dict.fromkeys(number for number in lengths if number > 1):
        rounded = -(-length // VECTOR) * VECTOR
        for size in dict.fromkeys((0,) if empty else (length - 1, length + 1, rounded, rounded + 1, 1)):
            if size != length:
                generator = torch.Generator().manual_seed(seed)
                label = f"axes of length {length} {'cut' if size < length else 'extended'} to {size}"
                yield InputVariant(label, "empty" if empty else "sizes", resized(given, length, size, generator))


def resized(given: tuple[Any, ...], length: int, size: int, generator: torch.Generator | None = None) -> tuple[Any, ...]:
    """The inputs with every axis of one length cut or extended to another, in memory of their own.

    Args:
        given: the tuple of arguments. length, size: of the axes, before and after. generator: draws what is added; not needed to cut.
    """
    generator = generator or torch.Generator().manual_seed(0)
    return map_arrays(copied(given), _resizer(length, size, generator), _array_resizer(length, size, generator))


def _resizer(length: int, size: int, generator: torch.Generator) -> Callable[[torch.Tensor], torch.Tensor]:
    def resize(value: torch.Tensor) -> torch.Tensor:
        for axis, present in enumerate(value.shape):
            if present != length:
                continue
            if size <= length:
                value = value.narrow(axis, 0, size)
            else:
                places = torch.randint(0, length, (size - length,), generator=generator)
                added = value.detach().index_select(axis, places.to(value.device))
                if value.is_floating_point():  # not the same numbers twice: they would be tied
                    added = added * (1.0 + 0.1 * torch.randn(added.shape, generator=generator)).to(added)
                value = torch.cat([value.detach(), added], axis)
        return value.detach().contiguous().requires_grad_(value.requires_grad)

    return resize


def _array_resizer(length: int, size: int, generator: torch.Generator) -> Callable[[np.ndarray[Any, Any]], Any]:
    resize = _resizer(length, size, generator)

    def on_array(value: np.ndarray[Any, Any]) -> Any:
        return resize(torch.from_numpy(np.ascontiguousarray(value))).numpy() if value.dtype.kind in "fiub" and value.ndim else value

    return on_array
