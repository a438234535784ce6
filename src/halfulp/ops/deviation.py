"""How far one op's result may be moved by rounding, first order, as a standard deviation: the one model, over any array library.

It is written with operators and methods that NumPy's arrays and PyTorch's tensors share, so `noise` (which runs PyTorch's ops) and
`arithmetic` (which evaluates formulas in NumPy) cannot come apart. What later ops make of an error is found by running them, so no
condition number is ever written down.
"""

from __future__ import annotations

import math
from typing import Any

from ..floats import Format
from .record import Kind, OpRecord
from .table import SMALL_POWERS

ROUNDING_RMS = math.sqrt(1.0 / (8.0 * math.log(2.0)))
"""Root mean square of one rounding's relative error, in units of u: 0.425.

The error of rounding a number 2**e m to nearest is uniform in +-u 2**e, so its relative variance is u^2 / (3 m^2); with log m
uniform (Benford; Hamming 1970) the mean of 1/m^2 over [1, 2) is 3 / (8 ln 2).
"""

SAMPLES = 8
"""Passes with noise. The tail of Student's t with this many degrees of freedom is what a single element is judged by
(`verdicts/evidence/noise.py`), so more samples mean sharper judgement of single elements at a proportional cost."""

FIRST_SAMPLES = 4
"""After so many it is asked whether they tell enough. An error that all SAMPLES would call beyond rounding, twice the limit, is taken for
within it by half as many with a probability of 0.003 (chi squared with 4 degrees of freedom above 16)."""

MAGNIFIED = 8.0
"""Samples of float64's rounding are computed in float64, where an error of less than half a spacing is rounded away again. Eight times as
large it is at least 8 * 0.42 / 2 = 1.7 spacings (rms): what rounding adds to that, a twelfth of a squared spacing, makes the spread 1.4 %
too large at most. And it is still so small that what becomes of it is in proportion."""

Values = Any
"""Real or complex numbers in float64: `numpy.ndarray` or `torch.Tensor`."""


class Deviation:
    """The rounding model of single ops for one declared precision.

    Args:
        declared: the precision that results are stored in. Sums of 16-bit and 8-bit formats are accumulated in float32, as every
            vendor's library documents; tf32 rounds only the inputs of products.
        accumulate: True lets a sum of n terms be added in any order, a plain chain included; False counts only the rounding of
            each product and of each result, which is what rounding *data* to the precision does.
        coarse_sums: True accumulates sums in the declared precision itself, whatever vendors document.
        product_loss: how many times the error of a chain, in norm, a product may make: what fast algorithms lose by design.

    Attributes:
        storage_u: standard deviation of rounding a result, relative. sum_u: of rounding a partial sum.
    """

    def __init__(self, declared: Format, *, accumulate: bool = True, coarse_sums: bool = False, product_loss: float = 1.0) -> None:
        self.declared = declared
        storage = 24 if declared.name == "tf32" else declared.precision_bits
        self.storage_u = math.ldexp(ROUNDING_RMS, -storage)
        self.sum_u = math.ldexp(ROUNDING_RMS, -(storage if coarse_sums else max(storage, 24)))
        # Tensor cores take float32 operands as they are and drop the low bits: twice the error of rounding to nearest, ...
        self._input_u = 2.0 * math.ldexp(ROUNDING_RMS, -11) if declared.name == "tf32" else 0.0
        # ... and all in one direction: a float's mean loss is half its spacing, (1 / (2 ln 2)) 2**-10 of it for Benford's mantissas.
        self._shrink_u = 2.0 * math.ldexp(0.5 / math.log(2.0), -10) if declared.name == "tf32" else 0.0
        self.accumulate = accumulate
        self.product_loss = product_loss

    def library(self, record: OpRecord) -> float:
        """Of a library function, relative: uniform within the allowed ulps, of which each half counts like one rounding."""
        assert record.ulps is not None, record.name
        return 2.0 * record.ulps * self.sum_u + (self.storage_u - self.sum_u)

    def elementwise(self, record: OpRecord, exponent: Any = None) -> float | None:
        """Of an elementwise op, relative; None for an op that is not elementwise.

        Args:
            record: of the op. exponent: of a power, where it is one number: squares and roots are made of rounded operations everywhere.
        """
        if record.kind is Kind.ROUNDED or (record.name == "pow" and is_small_power(exponent)):
            return self.storage_u
        return self.library(record) if record.kind is Kind.LIBRARY and record.ulps is not None else None

    def factors(self, count: Any) -> Any:
        """Of a product of `count` factors, relative: in whatever order, each factor but one comes with a rounding."""
        return (self.sum_u**2 * (count - 1) + self.storage_u**2) ** 0.5

    def chain(self, result: Values, squares: Values, terms: Any) -> Values:
        """Of a sum of `terms` terms whose squares sum to `squares`, with products rounded and the result stored: absolute.

        A chain rounds every partial sum s_k. Seen from the data, s_k goes from 0 to y like a random bridge: its mean square
        over k is y^2 / 3 + squares / 6, so n roundings add n (y^2 / 3 + squares / 6). Any tree of depth h < n does better.

        Args:
            result: what the sum comes to. squares: of the same shape. terms: a number, or an array that broadcasts to that shape.
        """
        growth = self.sum_u**2 * terms if self.accumulate else 0.0
        on_squares = growth / 6.0 + (self.sum_u**2 + 2.0 * self._input_u**2)
        on_magnitude = growth / 3.0 + (self.storage_u**2 + self._shrink_u**2)
        magnitude = squared(result)
        magnitude *= on_magnitude
        found = squares * on_squares
        found += magnitude
        found **= 0.5
        return found

    def stages(self, length: int) -> float:
        """Of a fast Fourier transform, relative to the root mean square of its result: log2 n stages, each rounding at that scale.

        References:
            Higham, Accuracy and Stability, 2nd ed., Theorem 24.2 (normwise; rms grows as the root of the stages).
        """
        return self.sum_u * math.sqrt(2.0 * math.log2(max(2, length)))

    def in_norm(self, deviation: Values, stored: Values | None = None) -> Values:
        """That of a fast product: a multiple of the root mean square over the whole result, whatever the element.

        Args:
            deviation: of the product as a chain. stored: the result, where that is rounded once, at its end, so that only sums lose more.
        """
        if self.product_loss == 1.0 or not math.prod(deviation.shape):
            return deviation
        lost = squared(deviation)
        if stored is not None:
            lost = (lost - (self.storage_u**2 - self.sum_u**2) * squared(stored)).clip(min=0.0)
        return deviation + self.product_loss * lost.mean() ** 0.5

    def underflow(self, values: Values) -> Values | None:
        """Of real numbers below the smallest normal one, absolute: the spacing stops shrinking. Zero elsewhere; None where all are."""
        if not math.prod(values.shape):
            return None
        magnitude = abs(values)
        if float(magnitude.min()) >= self.declared.min_normal:
            return None
        tiny = (magnitude < self.declared.min_normal) & (values != 0)
        return _numbers(tiny, magnitude) * (self.declared.min_subnormal / math.sqrt(12.0)) if bool(tiny.any()) else None


def is_small_power(exponent: Any) -> bool:
    """Whether a power is made of products, quotients and roots: true of few exponents, each a single number."""
    return isinstance(exponent, (int, float)) and not isinstance(exponent, bool) and exponent in SMALL_POWERS


def squared(values: Values) -> Values:
    """|x|^2, real."""
    return (values * values.conj()).real if _is_complex(values) else values * values


def _numbers(mask: Values, like: Values) -> Values:
    """1 and 0 in the format of `like`: PyTorch would take its default one."""
    return mask.to(like.dtype) if hasattr(mask, "to") else mask.astype(like.dtype)


def _is_complex(values: Values) -> bool:
    return "complex" in str(values.dtype)
