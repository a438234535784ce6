"""Ops that take and put by index. Taking is exact; where several numbers meet in one place they are summed."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import bounded
from ..arithmetic import Array, Exact
from ..deviation import squared
from .table import formula


@formula("embedding")
def embedding(fl: Exact, weight: Array, places: Array, *_: Any) -> Array:
    return weight[places]


def _scattered(fl: Exact, base: Array | tuple[int, ...], where: Any, source: Array) -> Array:
    """Add source to what is there (an array, or nothing yet: its shape) at places that may meet."""

    def put(into: Array | tuple[int, ...], values: Array) -> Array:
        total = bounded.zeros(into) if isinstance(into, tuple) else into.copy()
        np.add.at(total, where, values)
        return total

    def counts() -> Array:
        return put(base if isinstance(base, tuple) else bounded.ones(base.shape), bounded.ones(source.shape))

    return fl.chain(put(base, source), lambda: put(base if isinstance(base, tuple) else squared(base), squared(source)), counts)


@formula("embedding_dense_backward")
def embedding_dense_backward(fl: Exact, grad: Array, places: Array, rows: int, padding: int, _by_frequency: bool) -> Array:
    width = grad.shape[-1]
    flat, sources = places.reshape(-1), grad.reshape(-1, width)
    kept = flat != padding
    return _scattered(fl, (rows, width), flat[kept], sources[kept])


@formula("index_select")
def index_select(fl: Exact, x: Array, axis: int, places: Array) -> Array:
    return np.take(x, places, axis)


@formula("gather", "take_along_dim")
def gather(fl: Exact, x: Array, axis: int, places: Array, **_: Any) -> Array:
    region = tuple(slice(None) if k == axis % x.ndim else slice(n) for k, n in enumerate(places.shape))
    return np.take_along_axis(x[region], places, axis) if x.ndim else x


def _along(places: Array, axis: int) -> tuple[Array, ...]:
    grid: list[Any] = list(np.indices(places.shape, sparse=True))
    grid[axis % max(1, places.ndim)] = places
    return tuple(grid)


@formula("scatter_add")
def scatter_add(fl: Exact, x: Array, axis: int, places: Array, source: Array, *_: Any) -> Array:
    region = source[tuple(slice(n) for n in places.shape)]
    return _scattered(fl, x.astype(np.float64), tuple(np.broadcast_arrays(*_along(places, axis))), region)


@formula("scatter")
def scatter(fl: Exact, x: Array, axis: int, places: Array, source: Any, *_: Any, **__: Any) -> Array:
    result = x.copy()
    values: Array = np.asarray(source)
    values = values[tuple(slice(n) for n in places.shape)] if values.ndim else np.broadcast_to(values, places.shape)
    result[_along(places, axis)] = values  # pyright: ignore[reportArgumentType, reportCallIssue]
    return result


def _indices(indices: Any) -> tuple[Any, ...]:
    return tuple(slice(None) if item is None else item for item in indices)


@formula("index", "_unsafe_index")
def index(fl: Exact, x: Array, indices: Any) -> Array:
    return x[_indices(indices)]


@formula("index_put", "_unsafe_index_put", "_index_put_impl")
def index_put(fl: Exact, x: Array, indices: Any, values: Array, accumulate: bool = False, *_: Any) -> Array:
    where = _indices(indices)
    if accumulate:
        return _scattered(fl, x.astype(np.float64), where, np.broadcast_to(values, x[where].shape))
    result = x.copy()
    result[where] = values
    return result


@formula("index_add")
def index_add(fl: Exact, x: Array, axis: int, places: Array, source: Array, *, alpha: float = 1) -> Array:
    where = (slice(None),) * (axis % x.ndim) + (places,)
    return _scattered(fl, x.astype(np.float64), where, source if alpha == 1 else fl(alpha * source))


@formula("index_copy")
def index_copy(fl: Exact, x: Array, axis: int, places: Array, source: Array) -> Array:
    result = x.copy()
    result[(slice(None),) * (axis % x.ndim) + (places,)] = source
    return result


@formula("masked_fill")
def masked_fill(fl: Exact, x: Array, mask: Array, value: Any) -> Array:
    return np.where(mask, value, x)


@formula("masked_select")
def masked_select(fl: Exact, x: Array, mask: Array) -> Array:
    return np.broadcast_to(x, mask.shape)[np.broadcast_to(mask, x.shape)]


@formula("nonzero")
def nonzero(fl: Exact, x: Array) -> Array:
    return np.stack(np.nonzero(x), -1).reshape(-1, x.ndim)


@formula("one_hot")
def one_hot(fl: Exact, x: Array, classes: int = -1) -> Array:
    count = int(x.max()) + 1 if classes < 0 else classes
    return (x[..., None] == bounded.arange(count)).astype(np.int64)
