"""Noise: the reference result of each output, and how far rounding spreads around it."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from ..cases import Run
from ..differences import Leaf
from ..floats import Format
from ..ops.deviation import SAMPLES

FloatArray = npt.NDArray[np.float64]
BLOCK = 1 << 16
"""Elements that are looked at together: a few copies of them, half a megabyte each in float64, stay in the second-level cache."""
ELEMENTWISE = frozenset(("elementwise", "gelu"))
"""Kinds of ops that compute each element by itself, as `NoiseMode` counts them."""


@dataclass(frozen=True, eq=False)
class LeafNoise:
    """Reference and spread of one output.

    Attributes:
        path: which output.
        reference: float64 array (for integers too), the better-than-working-precision result.
        spread: float64 array of the same shape: standard deviation of rounding. Contains the rounding of the stored result.
        changed: share of samples in which each element differed at all; what an integer output is judged by.
        largest: the largest deviation of a sample from the reference.
        profiles: axis -> (samples, length): the mean of deviation / spread over all other axes; only where it was asked for.
        gains: of each sample, the regression of its deviations on the reference (`gain_of`).
    """

    path: str
    reference: FloatArray
    spread: FloatArray
    changed: FloatArray
    largest: FloatArray
    profiles: dict[int, FloatArray] = field(default_factory=dict)
    gains: FloatArray | None = None

    @property
    def shape(self) -> tuple[int, ...]:
        """Of the output."""
        return self.reference.shape

    def widened(self, honest: Leaf) -> LeafNoise:
        """With a spread nowhere smaller than the error of an honest run."""
        return dataclasses.replace(self, spread=covering(self.spread, honest.float64(), self.reference))

    def blocks(self) -> Iterator[tuple[slice, FloatArray, FloatArray]]:
        """Places in the flattened output, the reference there, and the spread: as much at once as caches hold."""
        reference, spread = self.reference.reshape(-1), self.spread.reshape(-1)
        for start in range(0, max(reference.size, 1), BLOCK):
            place = slice(start, start + BLOCK)
            yield place, reference[place], spread[place]


def covering(spread: FloatArray, honest: FloatArray, reference: FloatArray) -> FloatArray:
    """The spread, or the error of an honest run where that is larger."""
    with np.errstate(invalid="ignore", over="ignore"):
        error = np.abs(honest - reference)
    return np.maximum(spread, np.where(np.isfinite(error), error, 0.0))


@dataclass(frozen=True, eq=False)
class Noise:
    """What rounding does to the outputs of a case.

    Attributes:
        declared: the precision whose rounding was sampled.
        leaves: per output path.
        method: "ops of expected", "ops of actual" or "inputs".
        count: how many samples.
        ops: how often each kind of op was met, as counted by `NoiseMode`.
        reference: where the reference came from: "expected in float64", "reference", "expected, products in doubled precision",
            "expected in its own precision".
        notes: what could not be done and was done instead.
    """

    declared: Format
    leaves: dict[str, Any]  # of LeafNoise; of streaming.StreamedLeaf where outputs are large
    method: str
    count: int
    ops: dict[str, int] = field(default_factory=dict)
    reference: str = "expected in float64"
    notes: tuple[str, ...] = ()

    @property
    def degrees(self) -> int:
        """How many samples the limits are those of; where fewer were enough, the error stood the stricter limits of all."""
        return max(self.count, SAMPLES)

    @property
    def is_elementwise(self) -> bool:
        """Whether no result depends on more than one element of each input, as far as ops tell."""
        return bool(self.ops) and set(self.ops) <= ELEMENTWISE

    @property
    def has_products(self) -> bool:
        """Whether sums of products (or transforms) mix elements, so that fast algorithms with normwise bounds are legitimate."""
        return any(self.ops.get(kind, 0) for kind in ("product", "transform"))


def widened(noise: Noise, run: Run) -> Noise:
    """The noise with a spread that covers the errors of an honest run.

    What the expected implementation itself does in its own precision is honest by definition, also where the model of rounding
    falls short of it: an intermediate result that overflows in float32 but not in float64, a library function worse than its bound.
    Where the model does not fall short nothing changes, so an error is as many times the noise here as in `locate`.
    """
    if noise.reference == "reference":  # what expected is worth is for the reference to say
        return noise
    leaves = dict(noise.leaves)
    for leaf in run.outputs:
        known = leaves.get(leaf.path)
        if known is None or leaf.format is None or known.shape != leaf.stored.shape:
            continue
        leaves[leaf.path] = known.widened(leaf)
    return dataclasses.replace(noise, leaves=leaves)


def gain_of(error: FloatArray, reference: FloatArray) -> float:
    """The share of the reference that is in an error: its regression through the origin; 0 of a reference that is zero."""
    values, errors = reference.reshape(-1), error.reshape(-1)
    largest = float(np.max(np.abs(values), initial=0.0))
    if not math.isfinite(largest):
        finite = np.isfinite(values)
        values, errors = values[finite], errors[finite]
        largest = float(np.max(np.abs(values), initial=0.0))
    if not largest or values.dtype.kind != "f":
        return 0.0
    values = values / largest  # so that squares neither overflow nor vanish
    return float(np.einsum("i,i->", errors / largest, values)) / float(np.einsum("i,i->", values, values))


def scaled_error(error: FloatArray, spread: FloatArray) -> FloatArray:
    """Error / spread, 0 where there is no error or it is not finite."""
    with np.errstate(divide="ignore", invalid="ignore"):
        scaled = np.where(error == 0, 0.0, error / spread)
    return np.where(np.isfinite(scaled), scaled, 0.0)


def profile(scaled: FloatArray, axis: int) -> FloatArray:
    """The mean over everything but one axis."""
    return scaled.mean(axis=tuple(number for number in range(scaled.ndim) if number != axis)) if scaled.ndim > 1 else scaled
