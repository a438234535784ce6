"""Ops that move and copy numbers, and make constants: exact."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .. import bounded
from ..arithmetic import Array, Exact
from ..deviation import squared
from .table import formula

NUMPY_TYPES = {
    "bool": np.bool_, "int8": np.int8, "int16": np.int16, "int32": np.int32, "int64": np.int64, "uint8": np.uint8,
}  # fmt: skip


def typed(x: Array, dtype: Any) -> Array:
    """A conversion to a dtype as it is recorded: floating-point formats stay float64, their rounding is the arithmetic's."""
    name = dtype.get("dtype") if isinstance(dtype, dict) else None
    if name is None:
        return x
    if name in NUMPY_TYPES:
        return np.asarray(x).astype(NUMPY_TYPES[name])
    return np.asarray(x).astype(np.complex128 if name.startswith("complex") else np.float64)


@formula(
    "clone", "detach", "alias", "lift_fresh", "lift_fresh_copy", "contiguous", "_pin_memory", "resolve_conj", "resolve_neg", "wait_tensor"
)
def same(fl: Exact, x: Array, *_: Any, **__: Any) -> Array:
    return x


@formula("_to_copy", "to")
def to_copy(fl: Exact, x: Array, *_: Any, dtype: Any = None, **__: Any) -> Array:
    return fl(typed(x, dtype))


@formula("copy")
def copy(fl: Exact, x: Array, source: Array, *_: Any) -> Array:
    kind = x.dtype if x.dtype.kind in "biu" else np.float64
    return fl(np.broadcast_to(source, x.shape).astype(kind if source.dtype.kind != "c" else np.complex128))


@formula("view", "reshape", "_unsafe_view", "_reshape_alias", "_view_copy", "view_copy")
def view(fl: Exact, x: Array, size: Any, *_: Any) -> Array | None:
    if isinstance(size, dict):
        return None  # the same bits read as another dtype
    return x.reshape(size)


@formula("t")
def t(fl: Exact, x: Array) -> Array:
    return x.T


@formula("transpose", "transpose_copy", "swapaxes")
def transpose(fl: Exact, x: Array, first: int, second: int) -> Array:
    return np.swapaxes(x, first, second) if x.ndim else x


@formula("permute", "permute_copy")
def permute(fl: Exact, x: Array, axes: Any) -> Array:
    return np.transpose(x, axes)


@formula("expand", "expand_copy")
def expand(fl: Exact, x: Array, size: Any, **_: Any) -> Array:
    missing = len(size) - x.ndim
    return np.broadcast_to(x, [x.shape[place - missing] if axis == -1 else axis for place, axis in enumerate(size)])


@formula("unsqueeze")
def unsqueeze(fl: Exact, x: Array, axis: int) -> Array:
    return np.expand_dims(x, axis)


@formula("squeeze")
def squeeze(fl: Exact, x: Array, axes: Any = None) -> Array:
    chosen = range(x.ndim) if axes is None else [axes] if isinstance(axes, int) else axes
    return np.squeeze(x, tuple(axis % max(1, x.ndim) for axis in chosen if x.ndim and x.shape[axis] == 1))


def _slices(x: Array, axis: int, start: int | None, end: int | None, step: int) -> tuple[slice, ...]:
    length = x.shape[axis]
    end = None if end is None or end >= length else end
    return (slice(None),) * (axis % x.ndim) + (slice(start, end, step),)


@formula("slice")
def slice_(fl: Exact, x: Array, axis: int = 0, start: int | None = None, end: int | None = None, step: int = 1) -> Array:
    return x[_slices(x, axis, start, end, step)]


@formula("slice_backward")
def slice_backward(fl: Exact, grad: Array, size: Any, axis: int, start: int, end: int, step: int) -> Array:
    result = bounded.zeros(size)
    result[_slices(result, axis, start, end, step)] = grad
    return result


@formula("slice_scatter")
def slice_scatter(fl: Exact, x: Array, source: Array, axis: int = 0, start: Any = None, end: Any = None, step: int = 1) -> Array:
    result = x.copy()
    result[_slices(x, axis, start, end, step)] = source
    return result


@formula("select")
def select(fl: Exact, x: Array, axis: int, index: int) -> Array:
    return np.asarray(np.take(x, index, axis=axis))


@formula("select_backward")
def select_backward(fl: Exact, grad: Array, size: Any, axis: int, index: int) -> Array:
    result = bounded.zeros(size)
    result[(slice(None),) * (axis % result.ndim) + (index,)] = grad
    return result


@formula("select_scatter")
def select_scatter(fl: Exact, x: Array, source: Array, axis: int, index: int) -> Array:
    result = x.copy()
    result[(slice(None),) * (axis % x.ndim) + (index,)] = source
    return result


@formula("split", "split_with_sizes", "unsafe_split", "unsafe_split_with_sizes")
def split(fl: Exact, x: Array, size: Any, axis: int = 0) -> tuple[Array, ...]:
    length = x.shape[axis]
    ends = list(range(size, length, size)) if isinstance(size, int) else list(np.cumsum(size))[:-1]
    return tuple(np.split(x, ends, axis))


@formula("chunk", "unsafe_chunk")
def chunk(fl: Exact, x: Array, count: int, axis: int = 0) -> tuple[Array, ...]:
    return split(fl, x, -(-x.shape[axis] // count), axis)


@formula("unbind")
def unbind(fl: Exact, x: Array, axis: int = 0) -> tuple[Array, ...]:
    return tuple(np.moveaxis(x, axis, 0))


@formula("cat", "concat")
def cat(fl: Exact, parts: Any, axis: int = 0) -> Array:
    return np.concatenate([part for part in parts if part.ndim != 1 or part.size], axis)


@formula("stack")
def stack(fl: Exact, parts: Any, axis: int = 0) -> Array:
    return np.stack(parts, axis)


@formula("repeat")
def repeat(fl: Exact, x: Array, counts: Any) -> Array:
    return np.tile(x, counts)


@formula("flip")
def flip(fl: Exact, x: Array, axes: Any) -> Array:
    return np.flip(x, tuple(axes))


@formula("roll")
def roll(fl: Exact, x: Array, shifts: Any, axes: Any = ()) -> Array:
    return np.roll(x, shifts, axis=tuple(axes) if axes else None)


@formula("diagonal")
def diagonal(fl: Exact, x: Array, offset: int = 0, first: int = 0, second: int = 1) -> Array:
    return np.diagonal(x, offset, first, second)


@formula("unfold")
def unfold(fl: Exact, x: Array, axis: int, size: int, step: int) -> Array:
    windows = np.lib.stride_tricks.sliding_window_view(x, size, axis=axis)
    return windows[(slice(None),) * (axis % x.ndim) + (slice(None, None, step),)]


@formula("unfold_backward")
def unfold_backward(fl: Exact, grad: Array, size: Any, axis: int, length: int, step: int) -> Array:
    def folded(values: Array) -> Array:
        result = bounded.zeros(size)
        into = np.moveaxis(result, axis, 0)
        for place, part in enumerate(np.moveaxis(values, axis, 0)):
            into[place * step : place * step + length] += np.moveaxis(part, -1, 0)
        return result

    return fl.chain(folded(grad), lambda: folded(squared(grad)), lambda: folded(bounded.ones(grad.shape)))


@formula("tril")
def tril(fl: Exact, x: Array, k: int = 0) -> Array:
    return np.tril(x, k)


@formula("triu")
def triu(fl: Exact, x: Array, k: int = 0) -> Array:
    return np.triu(x, k)


@formula("constant_pad_nd")
def constant_pad_nd(fl: Exact, x: Array, pad: Any, value: float = 0) -> Array:
    widths = [(0, 0)] * (x.ndim - len(pad) // 2) + [(pad[k], pad[k + 1]) for k in range(len(pad) - 2, -1, -2)]
    grown = np.pad(x, [(max(0, a), max(0, b)) for a, b in widths], constant_values=value)
    return grown[tuple(slice(max(0, -a), grown.shape[k] - max(0, -b)) for k, (a, b) in enumerate(widths))]


@formula("fill")
def fill(fl: Exact, x: Array, value: Any) -> Array:
    return bounded.full(x.shape, value, dtype=x.dtype)


@formula("zero", "zeros_like")
def zeros_like(fl: Exact, x: Array, *_: Any, dtype: Any = None, **__: Any) -> Array:
    return typed(bounded.zeros(x.shape, dtype=x.dtype), dtype)


@formula("ones_like")
def ones_like(fl: Exact, x: Array, *_: Any, dtype: Any = None, **__: Any) -> Array:
    return typed(bounded.ones(x.shape, dtype=x.dtype), dtype)


@formula("full_like")
def full_like(fl: Exact, x: Array, value: Any, *_: Any, dtype: Any = None, **__: Any) -> Array:
    return fl(typed(bounded.full(x.shape, value, dtype=x.dtype), dtype))


@formula("zeros", "new_zeros")
def zeros(fl: Exact, *arguments: Any, dtype: Any = None, **_: Any) -> Array:
    return typed(bounded.zeros(arguments[-1]), dtype)


@formula("ones", "new_ones")
def ones(fl: Exact, *arguments: Any, dtype: Any = None, **_: Any) -> Array:
    return typed(bounded.ones(arguments[-1]), dtype)


@formula("full", "new_full")
def full(fl: Exact, *arguments: Any, dtype: Any = None, **_: Any) -> Array:
    return fl(typed(bounded.full(arguments[-2], arguments[-1]), dtype))


@formula("scalar_tensor")
def scalar_tensor(fl: Exact, value: Any, *, dtype: Any = None, **_: Any) -> Array:
    return fl(typed(np.asarray(value), dtype))


@formula("arange")
def arange(fl: Exact, *limits: Any, dtype: Any = None, **_: Any) -> Array:
    found = typed(bounded.arange(*limits), dtype)
    return found if all(float(limit).is_integer() for limit in limits) else fl(found)


@formula("view_as_complex")
def view_as_complex(fl: Exact, x: Array) -> Array:
    return x[..., 0] + 1j * x[..., 1]


@formula("view_as_real")
def view_as_real(fl: Exact, x: Array) -> Array:
    return np.stack((np.real(x), np.imag(x)), -1)


@formula("as_strided")
def as_strided(fl: Exact, x: Array, size: Any, strides: Any, offset: int | None = None) -> Array | None:
    """Of a contiguous tensor at the start of its memory; other layouts are not recorded with their memory."""
    places = bounded.full(tuple(size), offset or 0)
    for axis, (length, stride) in enumerate(zip(size, strides)):
        places = places + (bounded.arange(length) * stride).reshape((-1,) + (1,) * (len(size) - axis - 1))
    return x.reshape(-1)[places] if math.prod(x.shape) > int(places.max(initial=0)) else None


@formula("overlay")
def overlay(fl: Exact, before: Array, writes: Any, geometries: Any) -> Array | None:
    """What a tensor holds after other tensors over the same memory were written (`recording.recorder.OVERLAY`)."""
    end = 1
    for offset, shape, strides in geometries:
        if len(shape) != len(strides) or min((offset, *shape, *strides), default=0) < 0:
            return None  # outside of the memory that is described
        bounded.checked(math.prod(shape))
        end = max(end, offset + sum((n - 1) * s for n, s in zip(shape, strides)) + 1)
    memory = bounded.zeros(end, dtype=np.result_type(before, *writes))

    def part(geometry: Any) -> Array:
        offset, shape, strides = geometry
        return np.lib.stride_tricks.as_strided(bounded.plain(memory)[offset:], shape, [step * memory.itemsize for step in strides])

    for values, geometry in zip((before, *writes), geometries):
        part(geometry)[...] = bounded.plain(values)
    return part(geometries[0]).copy()


@formula("diagonal_backward")
def diagonal_backward(fl: Exact, grad: Array, size: Any, offset: int, first: int, second: int) -> Array:
    result = bounded.zeros(size)
    moved = np.moveaxis(result, (first, second), (-2, -1))
    rows = bounded.arange(grad.shape[-1]) + max(0, -offset)
    moved[..., rows, rows + offset] = grad
    return result


@formula("eye")
def eye(fl: Exact, rows: int, columns: int | None = None, *, dtype: Any = None, **_: Any) -> Array:
    return typed(bounded.eye(rows, columns), dtype)
