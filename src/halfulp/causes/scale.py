"""Scale: how far apart two sets of outputs are, in units of what rounding does to them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..cases import Case
from ..differences import Leaf
from ..differences.allowance import max_limit, rms_limit
from ..floats import FLOAT32
from ..noise import Noise
from ..ops.deviation import ROUNDING_RMS

BOTH = math.sqrt(2.0)
"""How far apart two honest implementations are, in units of the rounding noise of one: their errors are independent."""


@dataclass(frozen=True)
class Distance:
    """How far apart two sets of outputs are.

    Attributes:
        rms, worst: root mean square and largest |difference| over the noise. unequal: how many elements have other bits.
        count: elements compared. alike: whether shapes, dtypes and places of NaN and infinity are the same.
    """

    rms: float
    worst: float
    unequal: int
    count: int
    alike: bool

    def share_gone(self, before: Distance) -> float:
        """The share of an earlier distance that is gone: 1 for all of it, negative where it grew."""
        if before.rms == 0.0:
            return 0.0
        return 1.0 - self.rms / before.rms


class Scale:
    """Measures distances for one case.

    Args:
        case: whose outputs are compared. noise: what rounding does to them; None where it couldn't be sampled (then one rounding of each
            result counts as noise).
    """

    def __init__(self, case: Case, noise: Noise | None) -> None:
        self._unit_roundoff = case.storage.unit_roundoff
        self._noise = noise
        self.samples = noise.count if noise is not None else 8
        # An error of all digits: as large as the number itself.
        self._largest = 1.0 / (ROUNDING_RMS * min(self._unit_roundoff, FLOAT32.unit_roundoff))

    def distance(self, actual: Sequence[Leaf], expected: Sequence[Leaf]) -> Distance:
        """The distance between outputs, paired by path."""
        others = {leaf.path: leaf for leaf in expected}
        alike = {leaf.path for leaf in actual} == set(others)
        total, worst, unequal, count = 0.0, 0.0, 0, 0
        for leaf in actual:
            other = others.get(leaf.path)
            if other is None or other.shape != leaf.shape:
                size = max(1, leaf.stored.size)
                alike, total, worst, unequal, count = False, total + size * self._largest**2, self._largest, unequal + size, count + size
                continue
            scaled, different, same_kind = self._scaled(leaf, other)
            alike = alike and same_kind
            total += float(np.sum(scaled**2))
            worst = max(worst, float(scaled.max(initial=0.0)))
            unequal += different
            count += scaled.size
        return Distance(math.sqrt(total / max(1, count)), worst, unequal, count, alike=alike)

    def _scaled(self, leaf: Leaf, other: Leaf) -> tuple[np.ndarray, int, bool]:
        """|difference| over noise for each element, how many have other bits, and whether dtypes and special values agree."""
        with np.errstate(invalid="ignore"):  # signaling NaN in memory that nobody wrote
            left, right = (side.float64() for side in (leaf, other))
        equal = (left == right) | (np.isnan(left) & np.isnan(right))
        if leaf.format is None or other.format is None:
            return np.where(equal, 0.0, self._largest), int((~equal).sum()), leaf.dtype == other.dtype
        finite = np.isfinite(left) & np.isfinite(right)
        known = self._noise.leaves.get(leaf.path) if self._noise is not None else None
        with np.errstate(invalid="ignore", over="ignore", divide="ignore"):
            least = ROUNDING_RMS * self._unit_roundoff * np.maximum(np.abs(left), np.abs(right))
            spread = np.maximum(known.spread, least) if known is not None and known.spread.shape == left.shape else least
            scaled = np.abs(left - right) / spread
        scaled = np.where(
            equal, 0.0, np.where(finite, np.minimum(np.nan_to_num(scaled, nan=0.0, posinf=self._largest), self._largest), self._largest)
        )
        return scaled, int((~equal).sum()), leaf.dtype == other.dtype and bool((finite | equal).all())

    @staticmethod
    def unequal(left: Leaf, right: Leaf) -> int:
        """How many elements of two tensors have other bits (all NaN are one); all of them where shapes differ."""
        if left.shape != right.shape:
            return max(1, left.stored.size)
        here, there = left.numbers(), right.numbers()
        return (
            int((~((here == there) | (np.isnan(here) & np.isnan(there)))).sum()) if left.format is not None else int((here != there).sum())
        )

    def error(self, outputs: Sequence[Leaf]) -> float | None:
        """The rms error of outputs against the float64 reference, in units of the noise; None without a reference."""
        if self._noise is None:
            return None
        total, count = 0.0, 0
        for leaf in outputs:
            known = self._noise.leaves.get(leaf.path)
            if known is None or leaf.format is None or known.reference.shape != leaf.stored.shape:
                continue
            error = leaf.float64() - known.reference
            scaled = np.where(error == 0, 0.0, error / np.maximum(known.spread, 1e-300))
            usable = np.isfinite(scaled)
            total, count = total + float(np.sum(scaled[usable] ** 2)), count + int(usable.sum())
        return math.sqrt(total / count) if count else None

    @property
    def coarsest(self) -> float:
        """A relative difference (rms) that rounding may make of any function that keeps half of its digits."""
        return math.sqrt(self._unit_roundoff)

    @staticmethod
    def relative(actual: Sequence[Leaf], expected: Sequence[Leaf]) -> float:
        """The largest relative difference (rms over rms) among outputs; 1 for what can't be compared, or is no number on one side."""
        others, largest = {leaf.path: leaf for leaf in expected}, 0.0
        for leaf in actual:
            other = others.get(leaf.path)
            if other is None or other.shape != leaf.shape:
                return 1.0
            if leaf.format is None or other.format is None:
                largest = max(largest, float(leaf.shape == other.shape and Scale.unequal(leaf, other) > 0))
                continue
            with np.errstate(invalid="ignore"):
                left, right = (side.float64() for side in (leaf, other))
                equal = (left == right) | (np.isnan(left) & np.isnan(right))
                apart = np.where(equal, 0.0, np.abs(left - right))
                size = math.sqrt(float(np.sum(np.where(np.isfinite(right), right, 0.0) ** 2)))
            if not np.isfinite(apart).all():
                return 1.0
            rest = math.sqrt(float(np.sum(apart**2)))
            largest = max(largest, 0.0 if not rest else rest / size if size else 1.0)
        return largest

    @property
    def limit(self) -> float:
        """The largest rms distance that honest rounding on both sides makes."""
        return BOTH * rms_limit(self.samples)

    def may_be_within(self, distance: Distance) -> bool:
        """Whether a distance may be rounding: its rms is small enough. Single elements may stick out at steps and kinks; `check` decides."""
        return distance.alike and distance.rms <= self.limit

    def within(self, distance: Distance) -> bool:
        """Whether a distance is one that honest rounding on both sides makes: the errors of two add up."""
        within = distance.rms <= self.limit and distance.worst <= BOTH * max_limit(self.samples, distance.count)
        return distance.alike and within
