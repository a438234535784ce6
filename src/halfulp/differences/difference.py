"""The results of a comparison: numbers for each tensor, and where the structures themselves disagree."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field

from ..documents import document, text_of
from ..floats import FORMATS
from ..shown import shown


@dataclass(frozen=True)
class WorstElement:
    """One of the elements that differ most by some measure.

    Attributes:
        index: its index in the tensor (for complex numbers the last entry is 0 for the real, 1 for the imaginary part).
        actual, reference: the two values.
        abs_difference, rel_difference: |actual - reference| and that over |reference| (infinity where reference is 0).
        ulps: steps between the two in the coarser of the two formats.
    """

    index: tuple[int, ...]
    actual: float
    reference: float
    abs_difference: float
    rel_difference: float
    ulps: int


@dataclass(frozen=True)
class Mismatch:
    """A disagreement that no number can express.

    Attributes:
        path: the leaf.
        kind: "missing", "unexpected", "shape" or "dtype".
        actual, expected: what each side has there.
    """

    path: str
    kind: str
    actual: str
    expected: str


@dataclass(frozen=True)
class Difference:
    """How one tensor differs from its reference.

    All sums and maxima are over the pairs in which both values are finite; the others are counted by kind.

    Attributes:
        path, shape, actual_dtype, reference_dtype: which tensor.
        ulp_format: the format that ulps are counted in: the coarser of the two; "integer" for integers and booleans.
        count: elements. compared: pairs with both values finite. unequal: compared pairs whose values differ.
        max_abs, mean_abs: of |actual - reference|. bias: mean of actual - reference.
        max_rel: largest |actual - reference| / |reference| where the reference is not zero.
        nonzero_against_zero: pairs with reference zero and actual not.
        rms, rel_rms: root mean square of the difference, and that over the root mean square of the reference.
        sqnr_db: 20 log10 of 1 / rel_rms; infinity for equal tensors.
        cosine: cosine similarity; 1.0 when both are zero, NaN when one is, or when a sum of squares overflows.
        max_ulps, median_ulps: steps between the two; the median is exact up to 255 and within 1/128 of itself beyond.
        ulp_histogram: pairs of (upper bound of the bin in ulps, count): 0, 1, 2, 4, 8, ... ; empty bins left out.
        nan_actual_only, nan_reference_only, nan_both, inf_actual_only, inf_reference_only, inf_both, inf_sign:
            places where one side or both are NaN or infinite; inf_sign: both infinite with opposite signs.
        signed_zeros: places where the two zeros have different signs.
        worst_abs, worst_rel, worst_ulps: the worst elements by each measure, worst first.
    """

    path: str
    shape: tuple[int, ...]
    actual_dtype: str
    reference_dtype: str
    ulp_format: str
    count: int
    compared: int
    unequal: int
    max_abs: float
    mean_abs: float
    bias: float
    max_rel: float
    nonzero_against_zero: int
    rms: float
    rel_rms: float
    sqnr_db: float
    cosine: float
    max_ulps: int
    median_ulps: float
    ulp_histogram: tuple[tuple[int, int], ...]
    nan_actual_only: int
    nan_reference_only: int
    nan_both: int
    inf_actual_only: int
    inf_reference_only: int
    inf_both: int
    inf_sign: int
    signed_zeros: int
    worst_abs: tuple[WorstElement, ...]
    worst_rel: tuple[WorstElement, ...]
    worst_ulps: tuple[WorstElement, ...]

    @property
    def special_mismatches(self) -> int:
        """Places where the two disagree about being NaN or infinite."""
        return self.nan_actual_only + self.nan_reference_only + self.inf_actual_only + self.inf_reference_only + self.inf_sign

    @property
    def same_bits(self) -> bool:
        """Whether every element is equal, with NaN in the same places and zeros of the same sign."""
        return self.unequal == 0 and self.special_mismatches == 0 and self.signed_zeros == 0


@dataclass(frozen=True)
class ErrorInU:
    """The error of one tensor in units of u times a scale.

    Attributes:
        path, declared, unit_roundoff: which tensor and which unit.
        scale: "given", or "rms of the reference".
        max_in_u, rms_in_u: largest and root mean square of |actual - reference| / (u scale), over finite pairs.
        count: how many those are.
    """

    path: str
    declared: str
    unit_roundoff: float
    scale: str
    max_in_u: float
    rms_in_u: float
    count: int


@dataclass(frozen=True)
class Tolerated:
    """How many elements keep somebody's limits.

    Attributes:
        rtol_rel, atol_abs, max_ulps: the limits; None for those that were not given.
        beyond: how many elements break them. count: how many there are. worst: path of the tensor with most of them.
    """

    rtol_rel: float | None
    atol_abs: float | None
    max_ulps: int | None
    beyond: int
    count: int
    worst: str = ""


@shown
@dataclass(frozen=True)
class Comparison:
    """How two results differ, tensor by tensor.

    Attributes:
        differences: one per tensor that both sides have with the same shape.
        mismatches: where structure, shape or dtype disagree.
        tolerated: how many elements keep the limits that were given (`halfulp compare --rtol`); None where there were none.
        error_in_u: "actual" and "expected" -> the errors of their tensors, where there was a reference (`halfulp compare --reference`).
        versions: of Python and the packages that were used, the system and the processor; empty within a check.
    """

    differences: tuple[Difference, ...]
    mismatches: tuple[Mismatch, ...] = ()
    error_in_u: dict[str, tuple[ErrorInU, ...]] = field(default_factory=dict)
    tolerated: Tolerated | None = None
    versions: dict[str, str] = field(default_factory=dict)

    def __iter__(self) -> Iterator[Difference]:
        return iter(self.differences)

    def __getitem__(self, path: str) -> Difference:
        for difference in self.differences:
            if difference.path == path:
                return difference
        raise KeyError(path)

    @property
    def same_bits(self) -> bool:
        """Whether both sides have the same structure and the same bits."""
        return not self.mismatches and all(difference.same_bits for difference in self.differences)

    @property
    def max_abs(self) -> float:
        """The largest absolute difference of all tensors; 0.0 when there is nothing to compare."""
        return max((difference.max_abs for difference in self.differences), default=0.0)

    @property
    def max_rel(self) -> float:
        """The largest relative difference of all tensors; 0.0 when there is nothing to compare."""
        return max((difference.max_rel for difference in self.differences), default=0.0)

    @property
    def max_ulps(self) -> int:
        """The largest distance in ulps of all tensors; 0 when there is nothing to compare."""
        return max((difference.max_ulps for difference in self.differences), default=0)

    @property
    def unequal(self) -> int:
        """How many elements differ in all tensors, counting disagreements about NaN and infinity."""
        return sum(difference.unequal + difference.special_mismatches for difference in self.differences)

    @property
    def count(self) -> int:
        """How many elements there are in all tensors."""
        return sum(difference.count for difference in self.differences)

    @property
    def exit_code(self) -> int:
        """What the command line exits with.

        0 same numbers or within the limits that were given; 1 beyond these, other structures or places of NaN; 3 where numbers can't judge.
        """
        structural = bool(self.structural) or any(difference.special_mismatches for difference in self.differences)
        if structural or self.tolerated is not None:
            return int(structural or (self.tolerated is not None and self.tolerated.beyond > 0))
        return 0 if not self.unequal else 3

    @property
    def structural(self) -> tuple[Mismatch, ...]:
        """The mismatches that no conversion settles: two floating-point formats are compared as numbers."""
        return tuple(mismatch for mismatch in self.mismatches if not (mismatch.kind == "dtype" and _are_floats(mismatch)))

    def to_json(self) -> str:
        """All numbers as JSON text with a schema number."""
        return text_of(document("comparison", self, same_bits=self.same_bits))


def _are_floats(mismatch: Mismatch) -> bool:
    return mismatch.actual in FORMATS and mismatch.expected in FORMATS


def decibels(rel_rms: float) -> float:
    """Signal to quantization noise ratio of a relative rms difference, in dB."""
    if rel_rms == 0:
        return math.inf
    return -20.0 * math.log10(rel_rms) if math.isfinite(rel_rms) else -math.inf
