"""Bounded arrays: the size of a result is known, and refused, before it is made.

A trace says which ops are replayed and with which sizes, and a stranger may have written it. Formulas are evaluated on arrays that check
every operation which can make something larger than what it reads (broadcasting, products, padding, repetition, indexing) against a limit
that follows from what the traces really store. Arrays made from sizes alone come from `zeros`, `full`, `arange` and the others here.
"""

from __future__ import annotations

import contextlib
import contextvars
import math
from collections.abc import Callable, Generator, Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ..traces import Trace

Array = npt.NDArray[Any]

FLOOR_BYTES = 64 << 20
"""What one array may always take: far below what importing PyTorch takes."""

PER_STORED_BYTE = 64
"""What one array may take besides for each byte that the traces store. The largest intermediate of an op in use is the score matrix of
attention: sequence * sequence * heads in float64 (8 bytes), beside queries, keys, values and results of sequence * width * heads in float32
(4 bytes each). Its share is sequence / (2 width): 64 for 8,192 places of 64 numbers, when nothing but the attention was recorded."""

ITEM_BYTES = 8

_limit: contextvars.ContextVar[int | None] = contextvars.ContextVar("halfulp_replay_limit", default=None)


class TooLarge(Exception):
    """A replayed op would take more memory than the traces account for."""


@contextlib.contextmanager
def limited(*traces: Trace) -> Generator[None]:
    """Arrays that are replayed inside take at most what these traces account for, each; in this thread alone."""
    token = _limit.set(FLOOR_BYTES + PER_STORED_BYTE * sum(stored_bytes(trace.path) for trace in traces))
    try:
        yield
    finally:
        _limit.reset(token)


@contextlib.contextmanager
def unlimited() -> Generator[None]:
    """Without a limit: for what was evaluated within one before, on arrays of the same sizes."""
    token = _limit.set(None)
    try:
        yield
    finally:
        _limit.reset(token)


def limit_bytes() -> int | None:
    """How many bytes one array may take; None outside of `limited`."""
    return _limit.get()


def stored_bytes(folder: Path) -> int:
    """What the files of a trace take on the disk: holes in a sparse file count for nothing."""
    total = 0
    for path in folder.glob("shard-*"):
        status = path.lstat()
        total += min(status.st_size, 512 * getattr(status, "st_blocks", status.st_size))
    return total


def checked(elements: float) -> None:
    """Refuse an array of so many elements.

    Raises:
        TooLarge: it would take more than the limit.
    """
    limit = _limit.get()
    if limit is not None and not elements * ITEM_BYTES <= limit:
        taken = f"{elements * ITEM_BYTES / 2**20:,.0f} MiB" if elements < 2**62 else "more memory than there is"
        raise TooLarge(f"it would take {taken}; the limit for these traces is {limit / 2**20:,.0f} MiB")


def extent(shape: Iterable[Any]) -> Any:
    """How many elements, axes of length 0 left out: an array of 0 times 2**40 elements has rows to be walked through, too."""
    return math.prod(length for length in shape if length != 0)


def bounded(x: Array) -> Array:
    """The same array, watched where there is a limit.

    Raises:
        TooLarge: it is larger than the limit itself.
    """
    if _limit.get() is None:
        return x
    checked(extent(x.shape))
    return x if isinstance(x, Bounded) else x.view(Bounded)


def plain(x: Any) -> Array:
    """The same array, no longer watched."""
    return x.view(np.ndarray) if isinstance(x, Bounded) else np.asarray(x)


# Arrays made from sizes


def zeros(shape: Any, dtype: Any = np.float64) -> Array:
    """`np.zeros`, bounded."""
    return _made(shape, lambda: np.zeros(shape, dtype))


def ones(shape: Any, dtype: Any = np.float64) -> Array:
    """`np.ones`, bounded."""
    return _made(shape, lambda: np.ones(shape, dtype))


def full(shape: Any, value: Any, dtype: Any = None) -> Array:
    """`np.full`, bounded."""
    return _made(shape, lambda: np.full(shape, value, dtype))


def eye(rows: int, columns: int | None = None) -> Array:
    """`np.eye`, bounded."""
    return _made((rows, rows if columns is None else columns), lambda: np.eye(rows, columns))


def arange(*limits: Any) -> Array:
    """`np.arange`, bounded."""
    start, stop, step = (0, limits[0], 1) if len(limits) == 1 else (*limits, 1)[:3]
    return _made((max(0.0, math.ceil((stop - start) / step)),), lambda: np.arange(*limits))


def _made(shape: Any, make: Callable[[], Array]) -> Array:
    checked(extent(shape) if isinstance(shape, Iterable) else shape)
    return bounded(make())


# Arrays made from arrays


class Bounded(np.ndarray[Any, Any]):
    """An array whose operations check the size of their results first."""

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **keywords: Any) -> Any:
        if method in ("__call__", "outer"):
            checked(_elements_of(ufunc, method, inputs))
        given = [_unwatched(argument) for argument in inputs]
        if "out" in keywords:
            keywords["out"] = tuple(_unwatched(item) for item in keywords["out"])
        return _watched(getattr(ufunc, method)(*given, **keywords))

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        checked(_GROWING.get(func, _together)(*args, **kwargs))
        return _watched(func(*_unwatched(args), **{key: _unwatched(item) for key, item in kwargs.items()}))

    def __getitem__(self, key: Any) -> Any:
        checked(_selected(self.shape, key))
        return super().__getitem__(_unwatched(key))

    def __setitem__(self, key: Any, value: Any) -> None:
        super().__setitem__(_unwatched(key), _unwatched(value))


def _unwatched(tree: Any) -> Any:
    if isinstance(tree, Bounded):
        return tree.view(np.ndarray)
    return type(tree)(_unwatched(part) for part in tree) if type(tree) in (list, tuple) else tree


def _watched(tree: Any) -> Any:
    if type(tree) is np.ndarray:
        return tree.view(Bounded)
    return type(tree)(_watched(part) for part in tree) if type(tree) in (list, tuple) else tree


def _shapes(tree: Any) -> list[tuple[int, ...]]:
    if isinstance(tree, np.ndarray):
        return [tree.shape]
    return [shape for part in tree for shape in _shapes(part)] if isinstance(tree, (list, tuple)) else []


def _broadcast(shapes: Sequence[tuple[int, ...]]) -> int:
    try:
        return math.prod(np.broadcast_shapes(*shapes))
    except ValueError:  # the operation itself will say so
        return 0


def _elements_of(ufunc: Any, method: str, inputs: Any) -> int:
    shapes = [np.shape(argument) for argument in inputs]
    if (
        method == "__call__" and ufunc is not np.matmul and len({shape for shape in shapes if shape}) <= 1
    ):  # the common case, in a tenth of the time
        return max(math.prod(shape) for shape in shapes)
    if method == "outer":
        return math.prod(math.prod(shape) for shape in shapes)
    if ufunc is not np.matmul:
        return _broadcast(shapes)
    first, second = shapes
    return _broadcast((first[:-2], second[:-2])) * math.prod((*first[-2:-1], *second[1:][-1:]))


def _together(*args: Any, **keywords: Any) -> int:
    """Of a function whose result is no larger than its arrays broadcast together, or one after another."""
    shapes = _shapes((*args, *keywords.values()))
    return max(_broadcast(shapes), sum(math.prod(shape) for shape in shapes))


def _padded(x: Array, widths: Any, *_: Any, **__: Any) -> int:
    pairs = np.broadcast_to(np.asarray(widths, dtype=object), (x.ndim, 2))
    return math.prod(n + int(before) + int(after) for n, (before, after) in zip(x.shape, pairs))


def _taken(x: Array, places: Any, axis: int | None = None, *_: Any, **__: Any) -> int:
    return np.size(places) * (1 if axis is None else x.size // max(1, x.shape[axis]))


def _selected(shape: tuple[int, ...], key: Any) -> int:
    """How many elements indexing gives at most."""
    keys = list(key) if isinstance(key, tuple) else [key]
    arrays = [np.shape(item) for item in keys if isinstance(item, (np.ndarray, list)) and np.asarray(item).dtype != bool]
    if not arrays:
        return math.prod(shape)  # slices and masks take parts
    if any(item is Ellipsis for item in keys):
        place = next(place for place, item in enumerate(keys) if item is Ellipsis)
        missing = len(shape) - sum(item is not None and item is not Ellipsis for item in keys)
        keys[place : place + 1] = [slice(None)] * missing
    rest = [item for item in keys if item is not None]
    kept = [n for n, item in zip(shape, (*rest, *(slice(None),) * len(shape))) if isinstance(item, slice)]
    return _broadcast(arrays) * math.prod(kept)


_GROWING: dict[Any, Callable[..., float]] = {
    np.pad: _padded,
    np.tile: lambda x, counts: x.size * math.prod(counts if isinstance(counts, (list, tuple)) else [counts]),
    np.repeat: lambda x, count, **_: x.size * max(1, int(np.max(count))),
    np.outer: lambda first, second: np.size(first) * np.size(second),
    np.broadcast_to: lambda _, shape, **__: math.prod(shape) if isinstance(shape, Iterable) else shape,
    np.take: _taken,
    np.nonzero: lambda x: x.size * max(1, x.ndim),
    np.lib.stride_tricks.sliding_window_view: lambda x, *_, **__: x.size,  # a view; what is made of it is checked
    np.put_along_axis: lambda *_, **__: 0,
}
"""Functions whose result may be larger than their arrays broadcast together."""
