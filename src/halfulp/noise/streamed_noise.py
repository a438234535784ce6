"""Noise of large outputs, in bounded memory: one sample is alive at a time, and of all before it one number an element is kept.

An element's deviations are squared and added in units of its own reference, so that single precision holds the sum. Everything that is
asked of such noise is computed in blocks.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ..cases import Case, Precision, Rows, Run
from ..differences import Leaf
from ..differences.excess import in_noise
from ..floats import Format
from ..ops.deviation import ROUNDING_RMS
from .noise import BLOCK, LeafNoise, Noise, covering
from .passes import OPS, Model, Unseen, passes_of
from .sampling import SAMPLES, reference_of

LARGE = 1 << 20
"""Elements of an output from which on its noise is streamed: 8 MiB in float64, of which about forty are kept otherwise."""

LARGEST_RATIO = 1e18
"""A deviation counts as so many references at most: its square fits into single precision. Float64 itself cancels no further than 1e16."""

FloatArray = npt.NDArray[np.float64]


def is_large(case: Case) -> bool:
    """Whether an output of a case is too large to keep every sample of it."""
    return any(leaf.stored_shape and math.prod(leaf.stored_shape) > LARGE for leaf in case.native("expected").outputs)


@dataclass(frozen=True, eq=False)
class StreamedLeaf:
    """Reference and spread of one output, computed in blocks.

    Attributes:
        path: which output. shape: of it. count: how many samples.
        peer: an honest run whose error belongs to the spread (`noise.widened`); None for none.
    """

    path: str
    shape: tuple[int, ...]
    count: int
    _reference: FloatArray
    _squares: npt.NDArray[np.float32]
    _changed: npt.NDArray[np.uint8]
    _format: Format | None
    _storage: Format
    _magnified: float
    _typical: float
    peer: Leaf | None = None

    def blocks(self) -> Iterator[tuple[slice, FloatArray, FloatArray]]:
        """Places in the flattened output, the reference there, and the spread."""
        for start in range(0, self._reference.size, BLOCK):
            place = slice(start, start + BLOCK)
            yield place, self._reference[place], self._spread(place, self._reference[place])

    def rows(self, axis: int, rows: npt.NDArray[np.int64]) -> LeafNoise:
        """The noise of some rows along an axis by themselves."""
        shape = (*self.shape[:axis], len(rows), *self.shape[axis + 1 :])
        inner, outer = math.prod(self.shape[axis + 1 :]), math.prod(self.shape[:axis])
        places = (np.arange(outer)[:, None, None] * self.shape[axis] + rows[:, None]) * inner + np.arange(inner)
        return self._at(places.reshape(-1), shape)

    def whole(self) -> LeafNoise:
        """The noise of all elements."""
        return self._at(np.arange(self._reference.size), self.shape)

    def _at(self, places: npt.NDArray[np.int64], shape: tuple[int, ...]) -> LeafNoise:
        reference = self._reference[places]
        changed = self._changed[places] / self.count
        spread = self._spread(places, reference)
        largest = np.sqrt(self._squares[places].astype(np.float64)) * self._units(reference) / self._magnified
        return LeafNoise(self.path, reference.reshape(shape), spread.reshape(shape), changed.reshape(shape), largest=largest.reshape(shape))

    def widened(self, honest: Leaf) -> StreamedLeaf:
        """With a spread nowhere smaller than the error of an honest run."""
        return dataclasses.replace(self, peer=honest)

    def _units(self, reference: FloatArray) -> FloatArray:
        return units_of(reference, self._typical)

    def _spread(self, place: Any, reference: FloatArray) -> FloatArray:
        variance = self._squares[place].astype(np.float64)
        variance /= self.count * self._magnified**2
        units = self._units(reference)
        if self._format is None:
            return self._covered(np.sqrt(variance) * units, place, reference)
        is_number = np.isfinite(reference) & (reference != 0)  # there the unit is the size itself
        variance += (ROUNDING_RMS * self._storage.unit_roundoff) ** 2 * is_number
        spread = np.sqrt(variance, out=variance)
        spread *= units
        tiny = is_number & (units < self._storage.min_normal)
        if tiny.any():  # below the smallest normal number the stored result is rounded to a fixed spacing
            spread = np.where(tiny, np.hypot(spread, self._storage.min_subnormal / math.sqrt(12.0)), spread)
        return self._covered(spread, place, reference)

    def _covered(self, spread: FloatArray, place: Any, reference: FloatArray) -> FloatArray:
        if self.peer is not None and self.peer.format is not None:
            spread = covering(spread, self.peer.float64_at(place), reference)
        return spread


def units_of(reference: FloatArray, typical: float) -> FloatArray:
    """What deviations are counted in: the size of the reference, and where that is zero or no number, what is typical of the output."""
    size = np.abs(reference)
    return np.where((size > 0) & np.isfinite(size), size, typical)


class _Sum:
    """Adds up one output's samples."""

    def __init__(self, leaf: Leaf) -> None:
        self.leaf = leaf
        self.base: FloatArray = leaf.stored.reshape(-1) if leaf.stored.dtype == np.float64 else leaf.float64().reshape(-1)
        self.squares = np.zeros(self.base.size, np.float32)
        self.changed = np.zeros(self.base.size, np.uint8)
        finite = self.base[np.isfinite(self.base)] if self.base.size <= BLOCK else self.base[:: max(1, self.base.size // BLOCK)]
        sizes = np.abs(finite[np.isfinite(finite)])
        self.typical = float(sizes.max(initial=0.0)) or 1.0

    def add(self, sample: Leaf) -> None:
        for start in range(0, self.base.size, BLOCK):
            place = slice(start, start + BLOCK)
            base = self.base[place]
            with np.errstate(invalid="ignore", over="ignore"):
                deviation = sample.float64_at(place) - base
            deviation = np.where(np.isfinite(deviation), deviation, 0.0)
            self.changed[place] += deviation != 0
            ratio = np.minimum(np.abs(deviation) / units_of(base, self.typical), LARGEST_RATIO)
            self.squares[place] += (ratio * ratio).astype(np.float32)

    def streamed(self, model: Model, count: int) -> StreamedLeaf:
        magnified = model.magnified if self.leaf.format is not None else 1.0
        return StreamedLeaf(
            self.leaf.path, self.leaf.stored.shape, count, self.base, _squares=self.squares, _changed=self.changed,
            _format=self.leaf.format, _storage=model.storage, _magnified=magnified, _typical=self.typical,
        )  # fmt: skip


def _add_all(sums: Mapping[str, _Sum], outputs: Iterable[Leaf]) -> None:
    for leaf in outputs:
        known = sums.get(leaf.path)
        if known is not None and leaf.stored.size == known.base.size:
            known.add(leaf)


def streamed_noise(
    case: Case,
    *,
    rounds: str = OPS,
    enough: Callable[[Noise], bool] | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Noise | None:
    """Sample how far rounding moves each output of `expected`, with one sample in memory.

    Args:
        case, rounds, enough, progress: as for `noise_of`.

    Returns:
        None where the ops of `expected` can't be seen in float64, or a reference was given: then `noise_of` is what there is.
    """
    if case.reference is not None or case.finest is Precision.NATIVE:
        return None
    model = Model(case.declared, SAMPLES, True, False, product_loss=1.0, amplitude=1.0, profiles=False, rounds=rounds)
    sums: dict[str, _Sum] = {}
    samples = passes_of(case, "expected", model, progress or (lambda *_: None))
    try:
        mode, first = next(samples)
        sums = {leaf.path: _Sum(leaf) for leaf in first}
        del first
        for count, (_, outputs) in enumerate(samples, 1):
            _add_all(sums, outputs)
            del outputs  # before the next sample is made
            if count < model.samples and not (enough is not None and count == FIRST_OF_LARGE):
                continue
            leaves = {path: item.streamed(model, count) for path, item in sums.items()}
            noise = Noise(model.declared, leaves, "ops of expected", count, ops=dict(mode.counted), reference=reference_of(case, mode))
            if count == model.samples or (enough is not None and enough(noise)):
                return noise
    except Unseen:
        pass
    return None


FIRST_OF_LARGE = 5
"""As `FIRST_SAMPLES`, of large outputs: four samples of millions of elements come out too small at some by chance, and tell too little."""

KEPT = 1 << 18
"""Elements of a large output that evidence beyond the noise looks at, in whole rows."""

WORST = 16
"""One in so many of the rows is among those with the largest errors; the others are spread evenly."""


def rows_of(run: Run, noise: Noise) -> dict[str, Rows]:
    """Of each large output of a run the rows to look at closely: those with the largest errors in units of the noise, and some of all."""
    found: dict[str, Rows] = {}
    for leaf in run.outputs:
        shape = leaf.shape
        if not shape or leaf.stored.size <= LARGE:
            continue
        axis = int(np.argmax(shape))
        length = shape[axis]
        count = max(2, min(length, KEPT * length // leaf.stored.size))
        spread = noise.leaves.get(leaf.path)
        worst = np.zeros(0, np.int64)
        if leaf.format is not None and spread is not None and spread.shape == leaf.stored.shape:
            amounts = _by_row(leaf, spread, axis)
            share = max(1, count // WORST)
            worst = np.argpartition(amounts, length - share)[length - share :]
        evenly = np.linspace(0, length - 1, count - len(worst)).astype(np.int64)
        found[leaf.path] = Rows(axis, np.unique(np.concatenate((worst, evenly))), length)
    return found


def _by_row(leaf: Leaf, spread: StreamedLeaf, axis: int) -> npt.NDArray[np.float32]:
    """The largest error of each row in units of the noise."""
    length, inner = leaf.stored.shape[axis], math.prod(leaf.stored.shape[axis + 1 :])
    amounts = np.zeros(length, np.float32)
    for place, reference, noise in spread.blocks():
        with np.errstate(invalid="ignore", over="ignore"):
            error = leaf.float64_at(place) - reference
        sizes = np.minimum(np.abs(in_noise(np.where(np.isfinite(error), error, 0.0), noise)), 1e30).astype(np.float32)
        rows = (np.arange(place.start, place.start + sizes.size) // inner) % length
        np.maximum.at(amounts, rows, sizes)
    return amounts


def some_rows(noise: Noise, rows: Mapping[str, Rows]) -> Noise:
    """The noise of some rows of large outputs, and of all others whole."""
    leaves = {path: leaf.rows(rows[path].axis, rows[path].places) if path in rows else leaf.whole() for path, leaf in noise.leaves.items()}
    return dataclasses.replace(noise, leaves=leaves)
