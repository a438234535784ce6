"""Pooling and resizing of images, forward and backward."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .. import bounded
from ..arithmetic import EXACT, Array, Exact
from ..deviation import squared
from .table import formula


def _pair(values: Any, count: int) -> list[int]:
    values = [values] if isinstance(values, int) else list(values)
    return values * count if len(values) == 1 else values


def _out(n: int, k: int, s: int, p: int, d: int, ceil: bool) -> int:
    found = (n + 2 * p - d * (k - 1) - 1 + (s - 1 if ceil else 0)) // s + 1
    return found - 1 if ceil and (found - 1) * s >= n + p else found


def _windows(x: Array, kernel: Any, stride: Any, padding: Any, dilation: Any, ceil: bool, filler: float) -> tuple[Array, list[int]]:
    """All windows, (..., *out, *kernel), of an image whose last axes are space; and the output's size."""
    axes = len(kernel)
    space = x.shape[-axes:]
    rules = list(zip(space, kernel, stride, padding, dilation))
    out = [_out(*rule, ceil) for rule in rules]
    widths = [(p, max(p, (m - 1) * s + d * (k - 1) + 1 - n - p)) for (n, k, s, p, d), m in zip(rules, out)]
    padded = np.pad(x, [(0, 0)] * (x.ndim - axes) + widths, constant_values=filler)
    reach = tuple(d * (k - 1) + 1 for _, k, _, _, d in rules)
    windows = np.lib.stride_tricks.sliding_window_view(padded, reach, axis=tuple(range(-axes, 0)))
    places = tuple(slice(0, (m - 1) * s + 1, s) for m, s in zip(out, stride))
    return windows[(..., *places, *(slice(None, None, d) for d in dilation))], out


@formula("max_pool2d_with_indices", "max_pool3d_with_indices")
def max_pool(
    fl: Exact, x: Array, kernel: Any, stride: Any = (), padding: Any = 0, dilation: Any = 1, ceil: bool = False
) -> tuple[Array, Array]:
    axes = len(kernel)
    stride, padding, dilation = _pair(stride or kernel, axes), _pair(padding, axes), _pair(dilation, axes)
    windows, out = _windows(x, kernel, stride, padding, dilation, ceil, -math.inf)
    flat = windows.reshape(*windows.shape[:-axes], -1)
    best = flat.argmax(-1)
    values = np.take_along_axis(flat, best[..., None], -1)[..., 0]
    taps = np.unravel_index(best, tuple(kernel))
    place = np.zeros_like(best)
    for axis in range(axes):
        origin = bounded.arange(out[axis]) * stride[axis] - padding[axis]
        place = place * x.shape[axis - axes] + origin.reshape((-1,) + (1,) * (axes - axis - 1)) + taps[axis] * dilation[axis]
    return values, place


@formula("max_pool2d_with_indices_backward", "max_pool3d_with_indices_backward")
def max_pool_backward(fl: Exact, grad: Array, x: Array, kernel: Any, *rest: Any) -> Array:
    places = rest[-1]
    axes = len(kernel)
    outer = math.prod(x.shape[:-axes])

    def put(values: Array) -> Array:
        result = bounded.zeros((outer, math.prod(x.shape[-axes:])))
        np.add.at(result, (bounded.arange(outer)[:, None], places.reshape(outer, -1)), values.reshape(outer, -1))
        return result.reshape(x.shape)

    return fl.chain(put(grad), lambda: put(squared(grad)), lambda: put(bounded.ones(grad.shape)))


def _counts(x: Array, kernel: Any, stride: Any, padding: Any, ceil: bool, include: bool) -> Array:
    ones = bounded.ones(x.shape[-len(kernel) :])
    if include:  # padding counts, what lies beyond it does not
        widths = [(p, p) for p in padding]
        ones = np.pad(ones, widths, constant_values=1.0)
        windows, _ = _windows(ones, kernel, stride, [0] * len(kernel), [1] * len(kernel), ceil, 0.0)
        out = [_out(n, k, s, p, 1, ceil) for n, k, s, p in zip(x.shape[-len(kernel) :], kernel, stride, padding)]
        windows = windows[tuple(slice(m) for m in out)]
    else:
        windows, _ = _windows(ones, kernel, stride, padding, [1] * len(kernel), ceil, 0.0)
    return windows.sum(axis=tuple(range(-len(kernel), 0)))


@formula("avg_pool2d", "avg_pool3d")
def avg_pool(
    fl: Exact,
    x: Array,
    kernel: Any,
    stride: Any = (),
    padding: Any = 0,
    ceil: bool = False,
    include: bool = True,
    divisor: int | None = None,
) -> Array:
    axes = len(kernel)
    stride, padding = _pair(stride or kernel, axes), _pair(padding, axes)
    windows, _ = _windows(x, kernel, stride, padding, [1] * axes, ceil, 0.0)
    space = tuple(range(-axes, 0))
    count = divisor or _counts(x, kernel, stride, padding, ceil, include)
    return fl.chain(windows.sum(space) / count, lambda: squared(windows).sum(space) / np.square(count), math.prod(kernel))


def _taps(length: int, out: int, kernel: int, stride: int, padding: int) -> Array:
    """Which pixels each window covers along one axis: 1 or 0, (out, length)."""
    first, pixels = bounded.arange(out)[:, None] * stride - padding, bounded.arange(length)
    return ((pixels >= first) & (pixels < first + kernel)).astype(np.float64)


@formula("avg_pool2d_backward", "avg_pool3d_backward")
def avg_pool_backward(
    fl: Exact, grad: Array, x: Array, kernel: Any, stride: Any, padding: Any, ceil: bool, include: bool, divisor: int | None = None
) -> Array:
    axes = len(kernel)
    stride, padding = _pair(stride or kernel, axes), _pair(padding, axes)
    share = grad / (divisor or _counts(x, kernel, stride, padding, ceil, include))
    windows = [_taps(n, m, k, s, p) for n, m, k, s, p in zip(x.shape[-axes:], grad.shape[-axes:], kernel, stride, padding)]

    def gathered(shares: Array) -> Array:
        for axis, window in enumerate(windows, -axes):
            shares = np.moveaxis(np.moveaxis(shares, axis, -1) @ window, -1, axis)
        return shares

    return fl.chain(gathered(share), lambda: gathered(squared(share)), lambda: gathered(bounded.ones(share.shape)))


def _adaptive(length: int, out: int) -> Array:
    """The averaging matrix of adaptive pooling along one axis, (out, length)."""
    places, taps = bounded.arange(out).astype(int)[:, None], bounded.arange(length)
    start, end = places * length // out, -(-(places + 1) * length // out)
    return ((taps >= start) & (taps < end)) / (end - start)


def _along(axis: int) -> Callable[[Array, Array], Array]:
    """A linear map along one axis."""
    return lambda values, matrix: np.moveaxis(np.moveaxis(values, axis, -1) @ matrix.T, -1, axis)


def _terms(matrix: Array) -> int:
    """How many numbers a linear map adds up at most."""
    return int((matrix != 0).sum(1).max(initial=1))


def _along_axes(fl: Exact, x: Array, matrices: Sequence[Array]) -> Array:
    """A linear map along each of the last axes, one after another: each stores what it gives, as an implementation may."""
    for place, matrix in enumerate(matrices):
        mapped = _along(place - len(matrices))
        picks = _terms(matrix) == 1 and bool(np.isin(matrix, (0.0, 1.0)).all())
        x = mapped(x, matrix) if picks else fl.product(mapped, x, matrix, _terms(matrix))
    return x


@formula("_adaptive_avg_pool2d", "_adaptive_avg_pool3d", "adaptive_avg_pool2d", "adaptive_avg_pool1d")
def adaptive_avg_pool(fl: Exact, x: Array, out: Any) -> Array:
    """All numbers of a window are added one by one, however many axes it has."""
    matrices = [_adaptive(x.shape[k - len(out)], out[k] or x.shape[k - len(out)]) for k in range(len(out))]

    def averaged(values: Array, weights: Sequence[Array]) -> Array:
        for place, matrix in enumerate(weights):
            values = _along(place - len(weights))(values, matrix)
        return values

    def squares() -> Array:
        return averaged(squared(x), [np.square(matrix) for matrix in matrices])

    return fl.chain(averaged(x, matrices), squares, math.prod(map(_terms, matrices)))


@formula("_adaptive_avg_pool2d_backward", "_adaptive_avg_pool3d_backward")
def adaptive_avg_pool_backward(fl: Exact, grad: Array, x: Array) -> Array:
    axes = x.ndim - 2
    return _along_axes(fl, grad, [_adaptive(x.shape[k - axes], grad.shape[k - axes]).T for k in range(axes)])


def _nearest(length: int, out: int, scale: float | None, exact: bool) -> Array:
    step = 1.0 / scale if scale else length / out
    places = np.floor((bounded.arange(out) + (0.5 if exact else 0.0)) * step).astype(int)
    return bounded.eye(length)[np.clip(places, 0, length - 1)]


_DYADIC = 1 << 8
"""A step of at most 8 bits times a half-integer place of up to 15 bits is exact in float32."""


def _linear(fl: Exact, length: int, out: int, align: bool, scale: float | None) -> Array:
    """The matrix of linear interpolation along one axis, (out, length): its weights carry the rounding of the places."""
    step = ((length - 1) / (out - 1) if out > 1 else 0.0) if align else (1.0 / scale if scale else length / out)
    if math.frexp(step)[0] * _DYADIC % 1.0 == 0.0:
        fl = EXACT  # the places are whole multiples of a power of two: no format rounds them
    step = fl.coordinate(np.asarray(step))
    if align:
        source = fl.coordinate(bounded.arange(out) * step)
    else:
        source = np.maximum(fl.coordinate(fl.coordinate((bounded.arange(out) + 0.5) * step) - 0.5), 0.0)
    low = np.minimum(source.astype(int), length - 1)
    high = np.minimum(low + 1, length - 1)
    weight = source - low
    matrix = bounded.zeros((out, length))
    matrix[bounded.arange(out), low] += 1.0 - weight
    matrix[bounded.arange(out), high] += weight
    return matrix


def _triangle(fl: Exact, x: Array) -> Array:
    return np.maximum(0.0, fl(1.0 - x))


def _cubic(fl: Exact, x: Array) -> Array:
    """Keys' cubic convolution with a = -1/2, as PIL takes it for antialiasing, by Horner's rule: each step is rounded."""
    near = fl(fl(fl(fl(1.5 * x) - 2.5) * x) * x + 1.0)
    far = fl(fl(fl(fl(fl(x - 5.0) * x) + 8.0) * x) * -0.5 + 2.0)
    return np.where(x < 1.0, near, np.where(x < 2.0, far, 0.0))


def _antialiased(
    fl: Exact, kernel: Callable[[Exact, Array], Array], reach: float, length: int, out: int, align: bool, scale: float | None
) -> Array:
    """The matrix of antialiased interpolation along one axis, (out, length): the kernel is as wide as the larger spacing.

    Args:
        kernel: the weight at a distance in units of that spacing. reach: where it ends.
    """
    step = ((length - 1) / (out - 1) if out > 1 else 0.0) if align else (1.0 / scale if scale else length / out)
    step = fl.coordinate(np.asarray(step))
    width = np.maximum(step, 1.0)
    center = fl.coordinate((bounded.arange(out) + 0.5) * step)[:, None]
    taps = bounded.arange(length)
    first, end = np.floor(center - reach * width + 0.5), np.floor(center + reach * width + 0.5)
    inside = (taps >= first) & (taps < end)
    weights = np.where(inside, kernel(fl, np.abs(fl((taps + 0.5 - center) / width))), 0.0)
    return fl(weights / weights.sum(1, keepdims=True))


def _scales(scales: Any, axes: int) -> list[float | None]:
    found = [item for group in scales for item in (group if isinstance(group, list) else [group])]
    return (found + [None] * axes)[:axes]


_KERNELS = {"antialiased linear": (_triangle, 1.0), "antialiased cubic": (_cubic, 2.0)}


def _resizing(fl: Exact, kind: str, space: Sequence[int], out: Sequence[int], arguments: tuple[Any, ...]) -> list[Array]:
    if kind in _KERNELS:
        align, *scales = arguments
        return [_antialiased(fl, *_KERNELS[kind], n, m, align, s) for n, m, s in zip(space, out, _scales(scales, len(out)))]
    if kind == "linear":
        align, *scales = arguments
        return [_linear(fl, n, m, align, s) for n, m, s in zip(space, out, _scales(scales, len(out)))]
    return [_nearest(n, m, s, kind == "exact") for n, m, s in zip(space, out, _scales(arguments, len(out)))]


for _name, _kind in {
    "upsample_nearest1d": "nearest", "upsample_nearest2d": "nearest", "upsample_nearest3d": "nearest", "_upsample_nearest_exact2d": "exact",
    "upsample_linear1d": "linear", "upsample_bilinear2d": "linear", "upsample_trilinear3d": "linear",
    "_upsample_bilinear2d_aa": "antialiased linear", "_upsample_bicubic2d_aa": "antialiased cubic",
}.items():  # fmt: skip

    @formula(_name)
    def _resize(fl: Exact, x: Array, out: Any, *arguments: Any, _kind: str = _kind) -> Array | None:
        if out is None:
            return None  # the overload that takes only factors is decomposed into the other before it gets here
        return _along_axes(fl, x, _resizing(fl, _kind, x.shape[2:], out, arguments))

    @formula(_name + "_backward")
    def _resize_backward(fl: Exact, grad: Array, out: Any, size: Any, *arguments: Any, _kind: str = _kind) -> Array:
        return _along_axes(fl, grad, [matrix.T for matrix in _resizing(fl, _kind, size[2:], out, arguments)])


def _unfolded(fl: Exact, grid: Array, size: int, padding: int, align: bool) -> Array:
    """Places in pixels of a grid from -1 to 1, brought into the image as the padding says: 0 zeros, 1 border, 2 reflection."""
    moved = fl.coordinate(grid + 1.0)
    place = fl.coordinate(moved * (0.5 * (size - 1))) if align else 0.5 * fl.coordinate(fl.coordinate(moved * size) - 1.0)
    if padding == 2:
        low, span = (0.0, size - 1.0) if align else (-0.5, float(size))
        turns, rest = np.divmod(np.abs(place - low), span) if span else (np.zeros_like(place), np.zeros_like(place))
        place = low + np.where(turns % 2 == 0, rest, span - rest)
    return np.clip(place, 0.0, size - 1.0) if padding else place


@formula("grid_sampler_2d", "grid_sampler_3d")
def grid_sampler(fl: Exact, x: Array, grid: Array, interpolation: int, padding: int, align: bool) -> Array | None:
    """Linear interpolation between the pixels around each place: continuous, so a place may be moved across a pixel."""
    if interpolation:
        return None  # nearest and cubic
    axes = grid.shape[-1]
    places = [_unfolded(fl, grid[..., k], x.shape[-1 - k], padding, align) for k in range(axes)][
        ::-1
    ]  # x comes first, and is the last axis
    below = [np.floor(place) for place in places]
    batch = bounded.arange(len(x)).reshape(-1, *(1,) * axes)
    total: Array | None = None
    squares: Array | None = None
    for corner in np.ndindex(*(2,) * axes):
        weight, inside, index = np.ones(grid.shape[:-1]), np.ones(grid.shape[:-1], bool), []
        for place, low, step, size in zip(places, below, corner, x.shape[2:]):
            at = low + step
            weight = weight * (place - low if step else 1.0 - (place - low))
            inside = inside & (at >= 0) & (at < size)
            index.append(np.clip(np.nan_to_num(at), 0, size - 1).astype(int))
        term = np.moveaxis(x, 1, -1)[(batch, *index)] * np.where(inside, weight, 0.0)[..., None]
        total, squares = (term, squared(term)) if total is None else (total + term, squares + squared(term))
    assert total is not None and squares is not None
    return np.moveaxis(fl.chain(total, lambda: squares, 2**axes), -1, 1)


def _reflected(x: Array, pad: Any, mode: str) -> Array:
    widths = [(0, 0)] * (x.ndim - len(pad) // 2) + [(pad[k], pad[k + 1]) for k in range(len(pad) - 2, -1, -2)]
    return np.pad(x, widths, mode=mode)  # pyright: ignore[reportArgumentType, reportCallIssue]


@formula("reflection_pad1d", "reflection_pad2d", "reflection_pad3d")
def reflection_pad(fl: Exact, x: Array, pad: Any) -> Array:
    return _reflected(x, pad, "reflect")


@formula("replication_pad1d", "replication_pad2d", "replication_pad3d")
def replication_pad(fl: Exact, x: Array, pad: Any) -> Array:
    return _reflected(x, pad, "edge")


@formula("pixel_shuffle")
def pixel_shuffle(fl: Exact, x: Array, factor: int) -> Array:
    *outer, channels, height, width = x.shape
    split = x.reshape(*outer, channels // factor**2, factor, factor, height, width)
    moved = np.moveaxis(split, (-4, -3), (-3, -1))
    return moved.reshape(*outer, channels // factor**2, height * factor, width * factor)


@formula("pixel_unshuffle")
def pixel_unshuffle(fl: Exact, x: Array, factor: int) -> Array:
    *outer, channels, height, width = x.shape
    split = x.reshape(*outer, channels, height // factor, factor, width // factor, factor)
    moved = np.moveaxis(split, (-3, -1), (-4, -3))
    return moved.reshape(*outer, channels * factor**2, height // factor, width // factor)
