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
from .deviation import Deviation, is_small_power, squared
from .table import OPS

Array = npt.NDArray[Any]
Axes = int | tuple[int, ...] | None
Terms = float | Callable[[], Array]
"""How many numbers meet in one result: one count for all, or what gives an array of them."""

POOL_SIZE = 1 << 19
"""Gaussian numbers drawn once and used from random places: drawing fresh ones costs more than the ops that they perturb."""
LARGEST_PIECE = POOL_SIZE // 2
"""The most of them that are taken from one place."""


class Exact:
    """Float64 without rounding errors of its own: what the others are measured against."""

    def __call__(self, x: Array) -> Array:
        """A rounded result."""
        return x

    def function(self, name: str, x: Array) -> Array:
        """The result x of a library function of that name."""
        return x

    def coordinate(self, x: Array) -> Array:
        """A place along an axis, counted in float32 where results are stored coarser."""
        return x

    def chain(self, result: Array, squares: Callable[[], Array], terms: Terms) -> Array:
        """A sum of products that was computed as `result`, rounded once where it is stored.

        Args:
            result: the sum. squares: gives the sum of the terms' squares, of the same shape.
            terms: how many are added, or what gives an array of that.
        """
        return result

    def factors(self, x: Array, axes: Axes = None, *, keepdims: bool = False) -> Array:
        """A product of all elements along axes in any order."""
        return np.asarray(np.prod(x, axis=axes, keepdims=keepdims))

    def scan_of_factors(self, x: Array, axis: int) -> Array:
        """A running product."""
        return np.cumprod(x, axis=axis)

    # What is made of the above, the same for all.

    def product(self, compute: Callable[[Array, Array], Array], first: Array, second: Array, terms: int) -> Array:
        """A sum of products, bilinear in its operands.

        Args:
            compute: gives it from the two operands; the same on their squares gives the sum of squared products.
            first, second: the operands. terms: how many products are added for one result.
        """
        return self.chain(compute(first, second), lambda: compute(squared(first), squared(second)), terms)

    def sum(self, x: Array, axes: Axes = None, *, keepdims: bool = False) -> Array:
        """A sum along axes in any order."""
        total = np.asarray(np.sum(x, axis=axes, keepdims=keepdims))
        return self.chain(total, lambda: np.sum(squared(x), axis=axes, keepdims=keepdims), max(1, x.size // max(1, total.size)))

    def mean(self, x: Array, axes: Axes = None, *, keepdims: bool = False) -> Array:
        """A mean along axes: stored once, after the division."""
        total = np.asarray(np.sum(x, axis=axes, keepdims=keepdims))
        count = max(1, x.size // max(1, total.size))
        return self.chain(total / count, lambda: np.sum(squared(x), axis=axes, keepdims=keepdims) / count**2, count)

    def scan(self, x: Array, axis: int) -> Array:
        """A running sum."""
        return self.chain(np.cumsum(x, axis=axis), lambda: np.cumsum(squared(x), axis=axis), lambda: _counted(x, axis))

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
        if is_small_power(exponent):
            return self(np.power(x, exponent))
        return self.function("pow", np.power(x, exponent))

    def sigmoid(self, x: Array) -> Array:
        """1 / (1 + exp(-x))."""
        return self(1.0 / self(1.0 + self.exp(-x)))


EXACT = Exact()


class Direct(Exact):
    """Variances instead of random errors, for formulas in which whatever is rounded is only added to afterwards.

    Such are sums, products and everything of one step; their variances add up. They are kept by the shape of the result.
    """

    def __init__(self, format: Format) -> None:
        self._size = Deviation(format)
        self._variances: dict[tuple[int, ...], Array] = {}

    def spread(self, shape: tuple[int, ...]) -> Array:
        """The standard deviation of the result of this shape."""
        found = self._variances.get(shape)
        return np.zeros(shape) if found is None else np.sqrt(found)

    def __call__(self, x: Array) -> Array:
        return self._noted(x, lambda: self._size.storage_u**2 * squared(x))

    def function(self, name: str, x: Array) -> Array:
        return self._noted(x, lambda: self._size.library(OPS[name]) ** 2 * squared(x))

    def chain(self, result: Array, squares: Callable[[], Array], terms: Terms) -> Array:
        return self._noted(result, lambda: self._size.chain(result, squares(), _number(terms)) ** 2)

    def _noted(self, x: Array, variance: Callable[[], Array]) -> Array:
        if x.dtype.kind in "fc" and x.size:
            before = self._variances.get(x.shape)
            with np.errstate(over="ignore", invalid="ignore"):
                added = variance()
                tiny = self._size.underflow(x) if x.dtype.kind == "f" else None
                added = added if tiny is None else added + tiny**2
                self._variances[x.shape] = added if before is None else before + added
        return x


class Rounding(Exact):
    """Random rounding errors as an honest implementation in `format` makes them.

    One object serves all samples of one formula: the deviations of sums and products are computed for the first and used for the others.

    Args:
        format: that results are stored in. Sums of 16-bit and 8-bit formats are accumulated in float32, as every vendor's library
            documents.
        seed: of the random numbers of the first sample. deviation: another model of rounding than that of `format`.
        amplitude: how many standard deviations a rounding moves a result by: see `MAGNIFIED`.

    Attributes:
        seed: of the random numbers of the present sample.
    """

    def __init__(
        self, format: Format, seed: int | tuple[int, ...] = 0, deviation: Deviation | None = None, *, amplitude: float = 1.0
    ) -> None:
        self.format = format
        self.seed, self.amplitude = seed, amplitude
        self._size = Deviation(format) if deviation is None else deviation
        self._generator: np.random.Generator | None = None
        self._deviations: list[tuple[Any, Any, Array | None, Array]] = []
        self._next = 0

    def restart(self, seed: int | tuple[int, ...]) -> Rounding:
        """Begin another sample, with the random numbers of this seed."""
        self.seed = seed
        self._generator = None
        self._next = 0
        return self

    @property
    def _random(self) -> np.random.Generator:
        """Made when the first number is drawn: many ops round nothing."""
        if self._generator is None:
            self._generator = np.random.default_rng(self.seed)
        return self._generator

    def __call__(self, x: Array) -> Array:
        return self._relative(x, self._size.storage_u)

    def function(self, name: str, x: Array) -> Array:
        return self._relative(x, self._size.library(OPS[name]))

    def coordinate(self, x: Array) -> Array:
        return self._relative(x, self._size.sum_u)

    def product(self, compute: Callable[[Array, Array], Array], first: Array, second: Array, terms: int) -> Array:
        remembered = self._remembered(first, second)
        if remembered is None:
            result = compute(first, second)
            deviation = self._size.chain(result, compute(squared(first), squared(second)), terms)
            self._remember(first, second, result, deviation)
        else:
            result, deviation = remembered
            result = compute(first, second) if result is None else result
        return self._absolute(result, deviation)

    def chain(self, result: Array, squares: Callable[[], Array], terms: Terms) -> Array:
        if result.dtype.kind not in "fc":
            return result
        remembered = self._remembered(None, None)
        deviation = self._size.chain(result, squares(), _number(terms)) if remembered is None else remembered[1]
        if remembered is None:
            self._remember(None, None, None, deviation)
        return self._absolute(result, deviation)

    def factors(self, x: Array, axes: Axes = None, *, keepdims: bool = False) -> Array:
        result = super().factors(x, axes, keepdims=keepdims)
        return self._relative(result, self._size.factors(max(1, x.size // max(1, result.size))))

    def scan_of_factors(self, x: Array, axis: int) -> Array:
        return self._relative(super().scan_of_factors(x, axis), self._size.factors(_counted(x, axis)))

    def _remembered(self, first: Array | None, second: Array | None) -> tuple[Array | None, Array] | None:
        """The result (None where the operands are other arrays by now) and the deviation of this operation in an earlier sample."""
        place, self._next = self._next, self._next + 1
        if place >= len(self._deviations):
            return None
        known_first, known_second, result, deviation = self._deviations[place]
        return (result if _is_same(known_first, first) and _is_same(known_second, second) else None), deviation

    def _remember(self, first: Array | None, second: Array | None, result: Array | None, deviation: Array) -> None:
        self._deviations.append((first, second, result, deviation))

    def _relative(self, x: Array, u: Any) -> Array:
        if x.dtype.kind not in "fc" or not x.size:
            return x
        moved = self._gaussian(x.shape) * u
        moved += 1.0
        moved = self._stored(moved * x, x)
        return moved if np.isfinite(moved).all() else np.where(np.isfinite(x), moved, x)

    def _stored(self, moved: Array, x: Array) -> Array:
        """What was moved, with the error that numbers below the smallest normal one have beside it."""
        step = self._size.underflow(x) if x.dtype.kind == "f" else None
        return moved if step is None else moved + step * self._gaussian(x.shape)

    def _absolute(self, x: Array, deviation: Array) -> Array:
        if not x.size:
            return x
        moved = self._stored(x + deviation * self._gaussian(x.shape), x)
        return moved if np.isfinite(moved).all() else np.where(np.isfinite(moved), moved, x)

    def _gaussian(self, shape: tuple[int, ...]) -> Array:
        size = math.prod(shape)
        pool = _gaussian_numbers()
        if size <= LARGEST_PIECE:
            start = int(self._random.integers(POOL_SIZE - size + 1))
            found = pool[start : start + size]
        else:
            starts = self._random.integers(LARGEST_PIECE, size=-(-size // LARGEST_PIECE))
            found = np.concatenate([pool[start : start + LARGEST_PIECE] for start in starts])[:size]
        return (found if self.amplitude == 1.0 else found * self.amplitude).reshape(shape)


def _counted(x: Array, axis: int) -> Array:
    """1, 2, 3 ... along an axis."""
    return np.cumsum(np.ones(x.shape), axis=axis)


def _number(terms: Terms) -> Any:
    return terms() if callable(terms) else terms


def _is_same(known: Array | None, given: Array | None) -> bool:
    """Whether both are one array, or views of the same elements of one."""
    if known is None or given is None:
        return known is given
    return known is given or (known.shape == given.shape and known.__array_interface__ == given.__array_interface__)


@functools.cache
def _gaussian_numbers() -> npt.NDArray[np.float64]:
    return np.random.default_rng(0).standard_normal(POOL_SIZE)


def erf(x: Array) -> Array:
    """The error function in float64, which NumPy lacks."""
    from scipy.special import erf as exact  # a fifth of a second to load

    return exact(x)


class Counting(Exact):
    """Exact, and counts how many terms meet in one result: for the proved bound of sums on their magnitudes.

    Attributes:
        terms: the most terms of any sum so far.
    """

    def __init__(self) -> None:
        self.terms = 0.0

    def chain(self, result: Array, squares: Callable[[], Array], terms: Terms) -> Array:
        self.terms = max(self.terms, float(np.max(_number(terms))))
        return result
