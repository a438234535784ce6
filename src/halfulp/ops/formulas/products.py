"""Matrix products and convolutions, forward and backward."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from .. import bounded
from ..arithmetic import Array, Exact
from ..deviation import squared
from .table import formula


@formula("mm", "bmm", "mv", "matmul", "dot", "vdot")
def mm(fl: Exact, first: Array, second: Array, *_: Any) -> Array:
    return fl.dot(first, second)


def _with_addend(fl: Exact, addend: Array, product: Callable[[Array, Array], Array], first: Array, second: Array, terms: int, *,
                 beta: float = 1, alpha: float = 1) -> Array:  # fmt: skip
    """Alpha times a product plus beta times an addend: the addend is one more term of the sum, and the result is stored once."""

    def summed(added: Array, x: Array, y: Array, of_added: float, of_product: float) -> Array:
        return of_product * product(x, y) + of_added * added if beta else of_product * product(x, y)

    result = summed(addend, first, second, beta, alpha)
    return fl.chain(result, lambda: summed(squared(addend), squared(first), squared(second), beta * beta, alpha * alpha), terms + 1)


@formula("addmm", "baddbmm", "addmv")
def addmm(fl: Exact, addend: Array, first: Array, second: Array, *, beta: float = 1, alpha: float = 1) -> Array:
    return _with_addend(fl, addend, np.matmul, first, second, first.shape[-1], beta=beta, alpha=alpha)


@formula("addbmm")
def addbmm(fl: Exact, addend: Array, first: Array, second: Array, *, beta: float = 1, alpha: float = 1) -> Array:
    def product(x: Array, y: Array) -> Array:
        return np.sum(x @ y, 0)

    return _with_addend(fl, addend, product, first, second, first.shape[0] * first.shape[-1], beta=beta, alpha=alpha)


@formula("addr")
def addr(fl: Exact, addend: Array, first: Array, second: Array, *, beta: float = 1, alpha: float = 1) -> Array:
    return _with_addend(fl, addend, np.outer, first, second, 1, beta=beta, alpha=alpha)


@formula("linear")
def linear(fl: Exact, x: Array, weight: Array, bias: Array | None = None) -> Array:
    return fl.dot(x, weight.T) if bias is None else _with_addend(fl, bias, np.matmul, x, weight.T, x.shape[-1])


@formula("mkldnn_linear_pointwise", "_linear_pointwise")
def linear_pointwise(fl: Exact, x: Array, weight: Array, bias: Array | None, how: str, *_: Any) -> Array | None:
    return linear(fl, x, weight, bias) if how == "none" else None


def _each(values: Any, count: int) -> list[int]:
    values = [values] if isinstance(values, int) else list(values)
    return values * count if len(values) == 1 else values


def _taps(kernel: Sequence[int]) -> Iterator[tuple[int, ...]]:
    return itertools.product(*(range(length) for length in kernel))


def _window(padded: Array, tap: Sequence[int], out: Sequence[int], stride: Sequence[int], dilation: Sequence[int]) -> Array:
    """The part of a padded image that one tap of the kernel meets, over all output positions; a view."""
    spatial = tuple(slice(t * d, t * d + (n - 1) * s + 1, s) for t, d, n, s in zip(tap, dilation, out, stride))
    return padded[(slice(None), slice(None), *spatial)]


class Convolution:
    """A convolution's geometry, and the three sums of products that its forward and backward passes are.

    Arrays are (batch, channels, *space); weights (channels out, channels in / groups, *kernel).
    """

    def __init__(self, kernel: Sequence[int], stride: Any, padding: Any, dilation: Any, groups: int) -> None:
        axes = len(kernel)
        self.kernel, self.groups = list(kernel), groups
        self.stride, self.padding, self.dilation = _each(stride, axes), _each(padding, axes), _each(dilation, axes)

    def out(self, space: Sequence[int]) -> list[int]:
        """The size of the output for an input of this size."""
        rules = zip(space, self.kernel, self.stride, self.padding, self.dilation)
        return [(n + 2 * p - d * (k - 1) - 1) // s + 1 for n, k, s, p, d in rules]

    def forward(self, x: Array, weight: Array) -> Array:
        """Correlate images with kernels."""
        out = self.out(x.shape[2:])
        padded, split = self._padded(x), self._split(weight)
        result = bounded.zeros((x.shape[0], self.groups, split.shape[1], math.prod(out)))
        for tap in _taps(self.kernel):
            part = _window(padded, tap, out, self.stride, self.dilation)
            result += split[(..., *tap)] @ part.reshape(x.shape[0], self.groups, -1, math.prod(out))
        return result.reshape(x.shape[0], -1, *out)

    def to_input(self, grad: Array, weight: Array, space: Sequence[int]) -> Array:
        """The transposed map: what each input position gets."""
        out, split = grad.shape[2:], self._split(weight)
        padded = bounded.zeros((grad.shape[0], self.groups * split.shape[2], *(n + 2 * p for n, p in zip(space, self.padding))))
        flat = grad.reshape(grad.shape[0], self.groups, -1, math.prod(out))
        for tap in _taps(self.kernel):
            part = np.swapaxes(split[(..., *tap)], -1, -2) @ flat
            _window(padded, tap, out, self.stride, self.dilation)[...] += part.reshape(grad.shape[0], -1, *out)
        return padded[(slice(None), slice(None), *(slice(p, p + n) for n, p in zip(space, self.padding)))]

    def to_weight(self, grad: Array, x: Array) -> Array:
        """The gradient of the kernels."""
        out, padded = grad.shape[2:], self._padded(x)
        flat = np.moveaxis(grad.reshape(grad.shape[0], self.groups, -1, math.prod(out)), 0, 2)
        flat = flat.reshape(self.groups, flat.shape[1], -1)
        result = bounded.zeros((self.groups, flat.shape[1], x.shape[1] // self.groups, *self.kernel))
        for tap in _taps(self.kernel):
            part = _window(padded, tap, out, self.stride, self.dilation).reshape(x.shape[0], self.groups, -1, math.prod(out))
            part = np.moveaxis(part, 0, 2).reshape(self.groups, part.shape[2], -1)
            result[(..., *tap)] = flat @ np.swapaxes(part, -1, -2)
        return result.reshape(-1, *result.shape[2:])

    def _padded(self, x: Array) -> Array:
        return np.pad(x, [(0, 0), (0, 0), *((p, p) for p in self.padding)])

    def _split(self, weight: Array) -> Array:
        return weight.reshape(self.groups, weight.shape[0] // self.groups, *weight.shape[1:])


@formula("convolution", "_convolution", "convolution_overrideable", "mkldnn_convolution")
def convolution(
    fl: Exact, x: Array, weight: Array, bias: Array | None, stride: Any, padding: Any, dilation: Any, transposed: Any = False,
    output_padding: Any = 0, groups: int = 1, *_: Any,
) -> Array:  # fmt: skip
    if not isinstance(transposed, bool):  # mkldnn_convolution(x, weight, bias, padding, stride, dilation, groups)
        stride, padding, groups, transposed = padding, stride, transposed, False
    geometry = Convolution(weight.shape[2:], stride, padding, dilation, groups)
    taps = math.prod(weight.shape[2:])
    if transposed:
        rules = zip(x.shape[2:], geometry.kernel, geometry.stride, geometry.padding, geometry.dilation, _each(output_padding, x.ndim - 2))
        space = [(n - 1) * s - 2 * p + d * (k - 1) + 1 + extra for n, k, s, p, d, extra in rules]
        terms = weight.shape[0] // groups * taps

        def product(x: Array, weight: Array) -> Array:
            return geometry.to_input(x, weight, space)
    else:
        terms, product = weight.shape[1] * taps, geometry.forward
    if bias is None:
        return fl.product(product, x, weight, terms)
    return _with_addend(fl, bias.reshape(1, -1, *(1,) * (x.ndim - 2)), product, x, weight, terms)


@formula("convolution_backward", "convolution_backward_overrideable")
def convolution_backward(
    fl: Exact, grad: Array, x: Array, weight: Array, bias_sizes: Any, stride: Any, padding: Any, dilation: Any, transposed: bool,
    output_padding: Any, groups: int, wanted: Any,
) -> tuple[Array | None, ...]:  # fmt: skip
    geometry = Convolution(weight.shape[2:], stride, padding, dilation, groups)
    images = x if transposed else grad
    taps, pixels = math.prod(weight.shape[2:]), images.size // max(1, images.shape[1])
    if transposed:
        to_x = fl.product(geometry.forward, grad, weight, weight.shape[1] * taps) if wanted[0] else None
        to_weight = fl.product(lambda a, b: geometry.to_weight(b, a), grad, x, pixels) if wanted[1] else None
    else:
        space = x.shape[2:]
        to_x = (
            fl.product(lambda a, b: geometry.to_input(a, b, space), grad, weight, weight.shape[0] // groups * taps) if wanted[0] else None
        )
        to_weight = fl.product(geometry.to_weight, grad, x, pixels) if wanted[1] else None
    to_bias = fl.sum(grad, (0, *range(2, grad.ndim))) if wanted[2] else None
    return to_x, to_weight, to_bias
