"""fl: the arithmetic that a formula is evaluated in, exact or with rounding errors at random.

Formulas are written as a numerical analyst writes them: fl(x * y) for a product that is rounded, fl.sum(...) for a sum in an unknown
order, fl.exp(x) for a library function. `Exact` computes them in float64; `Rounding` moves each result by a random error of the size that
an honest implementation in a given format makes there. What later operations make of an error is found by computing them.

References:
    Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., section 2.2 (the notation fl).
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from ..floats import Format
from ..floats.libraries import LIBRARY_ULPS, ROUNDING_RMS

Array = npt.NDArray[Any]
Axes = int | tuple[int, ...] | None

_POOL = 1 << 19
"""Gaussian numbers drawn once and used from random places: drawing fresh ones costs more than the formulas they perturb."""


class Exact:
    """Float64 without rounding errors of its own: what the others are measured against."""

    def __call__(self, x: Array) -> Array:
        """A rounded result."""
        return x

    def function(self, name: str, x: Array) -> Array:
        """The result x of a library function of that name."""
        return x

    def product(self, compute: Callable[[Array, Array], Array], first: Array, second: Array, terms: int) -> Array:
        """A sum of products, bilinear in its operands.

        Args:
            compute: gives it from the two operands; the same on their squares gives the sum of squared products.
            terms: how many products are added for one result.
        """
        return compute(first, second)

    def sum(self, x: Array, axes: Axes = None, *, keepdims: bool = False) -> Array:
        """A sum along axes in any order."""
        return np.asarray(np.sum(x, axis=axes, keepdims=keepdims))

    def scan(self, x: Array, axis: int) -> Array:
        """A running sum."""
        return np.cumsum(x, axis=axis)

    # What is made of the above, the same for both.

    def mean(self, x: Array, axes: Axes = None, *, keepdims: bool = False) -> Array:
        """A mean along axes."""
        total = self.sum(x, axes, keepdims=keepdims)
        return self(total / max(1, x.size // max(1, total.size)))

    def dot(self, first: Array, second: Array) -> Array:
        """A matrix product."""
        return self.product(np.matmul, first, second, first.shape[-1])

    def exp(self, x: Array) -> Array:
        """Exponential."""
        return self.function("exp", np.exp(x))

    def log(self, x: Array) -> Array:
        """Natural logarithm."""
        return self.function("log", np.log(x))

    def tanh(self, x: Array) -> Array:
        """Hyperbolic tangent."""
        return self.function("tanh", np.tanh(x))

    def erf(self, x: Array) -> Array:
        """Error function."""
        return self.function("erf", erf(x))

    def power(self, x: Array, exponent: Any) -> Array:
        """X to the power of a number or array; squares and roots are made of rounded operations everywhere."""
        if np.ndim(exponent) == 0 and exponent in (0, 1, 2, 3, 0.5, -1, -2):
            return self(np.power(x, exponent))
        return self.function("pow", np.power(x, exponent))

    def sigmoid(self, x: Array) -> Array:
        """1 / (1 + exp(-x))."""
        return self(1.0 / self(1.0 + self.exp(-x)))


EXACT = Exact()


class _Deviation:
    """The standard deviation of one operation's rounding in a format; `noise.rules.OpError` derives the same for PyTorch's ops."""

    def __init__(self, format: Format) -> None:
        bits = 24 if format.name == "tf32" else format.precision_bits
        self.format = format
        self.storage_u = math.ldexp(ROUNDING_RMS, -bits)
        self.sum_u = math.ldexp(ROUNDING_RMS, -max(bits, 24))
        # tf32 rounds what is multiplied, by truncation in some hardware: twice the error, and all in one direction.
        self._input_u = 2.0 * math.ldexp(ROUNDING_RMS, -11) if format.name == "tf32" else 0.0
        self._shrink_u = 2.0 * math.ldexp(0.5 / math.log(2.0), -10) if format.name == "tf32" else 0.0

    def function(self, name: str) -> float:
        """Of a library function, relative: uniform within the allowed ulps, of which each half counts like one rounding."""
        return 2.0 * LIBRARY_ULPS[name] * self.sum_u + (self.storage_u - self.sum_u)

    def chain(self, result: Array, squares: Array, terms: Any) -> Array:
        """Of a sum in unknown order, from the sum of the terms' squares."""
        growth = self.sum_u**2 * terms
        on_squares = self.sum_u**2 + 2.0 * self._input_u**2
        return np.sqrt(squares * (growth / 6.0 + on_squares) + _squared(result) * (growth / 3.0 + self.storage_u**2 + self._shrink_u**2))

    def rounding_variance(self, x: Array, u: float) -> Array:
        """Of one rounding of x, the variance: relative, and below the smallest normal number absolute too."""
        variance = (u * u) * _squared(x)
        if x.dtype.kind == "f" and x.size and float(np.abs(x).min()) < self.format.min_normal:
            tiny = (np.abs(x) < self.format.min_normal) & (x != 0)
            variance = variance + tiny * (self.format.min_subnormal**2 / 12.0)
        return variance


class Direct(Exact):
    """Variances instead of random errors, for formulas in which whatever is rounded is only added to afterwards.

    Such are sums, products and everything of one step; their variances add up. They are kept by the shape of the result.
    """

    def __init__(self, format: Format) -> None:
        self._size = _Deviation(format)
        self._variances: dict[tuple[int, ...], Array] = {}

    def spread(self, shape: tuple[int, ...]) -> Array:
        """The standard deviation of the result of this shape."""
        found = self._variances.get(shape)
        return np.zeros(shape) if found is None else np.sqrt(found)

    def __call__(self, x: Array) -> Array:
        return self._noted(x, lambda: self._size.rounding_variance(x, self._size.storage_u))

    def function(self, name: str, x: Array) -> Array:
        return self._noted(x, lambda: self._size.rounding_variance(x, self._size.function(name)))

    def product(self, compute: Callable[[Array, Array], Array], first: Array, second: Array, terms: int) -> Array:
        result = compute(first, second)
        return self._noted(result, lambda: self._size.chain(result, compute(_squared(first), _squared(second)), terms) ** 2)

    def sum(self, x: Array, axes: Axes = None, *, keepdims: bool = False) -> Array:
        result = super().sum(x, axes, keepdims=keepdims)
        terms = max(1, x.size // max(1, result.size))
        return self._noted(
            result, lambda: self._size.chain(result, super(Direct, self).sum(_squared(x), axes, keepdims=keepdims), terms) ** 2
        )

    def _noted(self, x: Array, variance: Callable[[], Array]) -> Array:
        if x.dtype.kind in "fc" and x.size:
            before = self._variances.get(x.shape)
            with np.errstate(over="ignore", invalid="ignore"):
                self._variances[x.shape] = variance() if before is None else before + variance()
        return x


class Rounding(Exact):
    """Random rounding errors as an honest implementation in `format` makes them.

    One object serves all samples of one formula: the deviations of sums and products are computed for the first and used for the others.

    Args:
        format: that results are stored in. Sums of 16-bit and 8-bit formats are accumulated in float32, as every vendor's library
            documents.
        seed: of the random numbers of the first sample.
    """

    def __init__(self, format: Format, seed: int | tuple[int, ...] = 0) -> None:
        self.format = format
        self._size = _Deviation(format)
        self._random = np.random.default_rng(seed)
        self._deviations: list[tuple[Any, Any, Array | None, Array]] = []
        self._next = 0

    def restart(self, seed: int | tuple[int, ...]) -> Rounding:
        """Begin another sample, with the random numbers of this seed."""
        self._random = np.random.default_rng(seed)
        self._next = 0
        return self

    def __call__(self, x: Array) -> Array:
        return self._relative(x, self._size.storage_u)

    def function(self, name: str, x: Array) -> Array:
        return self._relative(x, self._size.function(name))

    def product(self, compute: Callable[[Array, Array], Array], first: Array, second: Array, terms: int) -> Array:
        remembered = self._remembered(first, second)
        if remembered is None:
            result = compute(first, second)
            deviation = self._size.chain(result, compute(_squared(first), _squared(second)), terms)
            self._remember(first, second, result, deviation)
        else:
            result, deviation = remembered
            result = compute(first, second) if result is None else result
        return self._absolute(result, deviation)

    def sum(self, x: Array, axes: Axes = None, *, keepdims: bool = False) -> Array:
        result = super().sum(x, axes, keepdims=keepdims)
        if x.dtype.kind not in "fc":
            return result
        remembered = self._remembered(x, None)
        if remembered is None:
            squares = super().sum(_squared(x), axes, keepdims=keepdims)
            deviation = self._size.chain(result, squares, max(1, x.size // max(1, result.size)))
            self._remember(x, None, None, deviation)
        else:
            deviation = remembered[1]
        return self._absolute(result, deviation)

    def scan(self, x: Array, axis: int) -> Array:
        result = super().scan(x, axis)
        if x.dtype.kind not in "fc":
            return result
        terms = np.cumsum(np.ones_like(x, dtype=np.float64), axis=axis)
        return self._absolute(result, self._size.chain(result, np.cumsum(_squared(x), axis=axis), terms))

    def _remembered(self, first: Array, second: Array | None) -> tuple[Array | None, Array] | None:
        """The result (if the operands are the very same arrays) and deviation of this operation in an earlier sample."""
        place, self._next = self._next, self._next + 1
        if place >= len(self._deviations):
            return None
        known_first, known_second, result, deviation = self._deviations[place]
        return (result if known_first is first and known_second is second else None), deviation

    def _remember(self, first: Array, second: Array | None, result: Array | None, deviation: Array) -> None:
        self._deviations.append((first, second, result, deviation))

    def _relative(self, x: Array, u: float) -> Array:
        if x.dtype.kind not in "fc" or not x.size:
            return x
        with np.errstate(invalid="ignore", over="ignore"):
            moved = x * (1.0 + u * self._gaussian(x.shape))
        smallest = self.format.min_normal
        magnitude = np.abs(x)
        if x.dtype.kind == "f" and magnitude.min() < smallest:  # below it the spacing stops shrinking
            step = self.format.min_subnormal / math.sqrt(12.0)
            moved = np.where((magnitude < smallest) & (x != 0), moved + step * self._gaussian(x.shape), moved)
        return np.where(np.isfinite(x), moved, x)

    def _absolute(self, x: Array, deviation: Array) -> Array:
        if not x.size:
            return x
        with np.errstate(invalid="ignore", over="ignore"):
            moved = x + deviation * self._gaussian(x.shape)
        return np.where(np.isfinite(moved), moved, x)

    def _gaussian(self, shape: tuple[int, ...]) -> Array:
        size = math.prod(shape)
        pool = _gaussian_numbers()
        if size <= _POOL // 2:
            start = int(self._random.integers(_POOL - size + 1))
            return pool[start : start + size].reshape(shape)
        starts = self._random.integers(_POOL // 2, size=-(-size // (_POOL // 2)))
        return np.concatenate([pool[start : start + _POOL // 2] for start in starts])[:size].reshape(shape)


@functools.cache
def _gaussian_numbers() -> npt.NDArray[np.float64]:
    return np.random.default_rng(0).standard_normal(_POOL)


def _squared(x: Array) -> Array:
    return (x * x.conj()).real if x.dtype.kind == "c" else x * x


_ERF_STEP = 1.0 / 32.0
_ERF_END = 6.0
"""1 - erf(6) = 2e-17: beyond it float64 is 1."""


@functools.cache
def _erf_table() -> npt.NDArray[np.float64]:
    """Taylor coefficients of erf around multiples of the step, degree 0 to 9: rows are points.

    erf^(k+1)(c) / (k+1)! follows from f' = 2/sqrt(pi) exp(-x^2), f'' = -2 x f': (k+2)(k+1) a_(k+2) = -2 c (k+1) a_(k+1) - 2 k a_k.
    """
    points = np.arange(0.0, _ERF_END + _ERF_STEP, _ERF_STEP)
    rows = np.zeros((points.size, 10))
    rows[:, 0] = [math.erf(point) for point in points]
    rows[:, 1] = 2.0 / math.sqrt(math.pi) * np.exp(-points * points)
    for k in range(8):
        rows[:, k + 2] = (-2.0 * points * (k + 1) * rows[:, k + 1] - 2.0 * k * rows[:, k]) / ((k + 2) * (k + 1))
    return rows


def erf(x: Array) -> Array:
    """The error function in float64, which NumPy lacks: Taylor's series around the nearest of 193 points.

    Numerics:
        Within the step's half of 2**-6 the first neglected term is at most 2**-60 * 0.2; measured over 2.5 million
        points: 2**-53 absolute, 2.4 u relative.
    """
    magnitude = np.minimum(np.abs(np.nan_to_num(x)), _ERF_END)
    nearest = np.rint(magnitude / _ERF_STEP).astype(np.intp)
    offset = magnitude - nearest * _ERF_STEP
    table = _erf_table()
    result = np.zeros_like(magnitude)
    for k in range(9, -1, -1):
        result = result * offset + table[nearest, k]
    return np.where(np.isnan(x), x, np.copysign(result, x))


class Counting(Exact):
    """Exact, and counts how many terms meet in one result: for the proved bound of sums on their magnitudes.

    Attributes:
        terms: the most terms of any sum so far.
    """

    def __init__(self) -> None:
        self.terms = 0.0

    def product(self, compute: Callable[[Array, Array], Array], first: Array, second: Array, terms: int) -> Array:
        self.terms = max(self.terms, float(np.max(terms)))
        return super().product(compute, first, second, terms)

    def sum(self, x: Array, axes: Axes = None, *, keepdims: bool = False) -> Array:
        result = super().sum(x, axes, keepdims=keepdims)
        self.terms = max(self.terms, x.size / max(1, result.size))
        return result
