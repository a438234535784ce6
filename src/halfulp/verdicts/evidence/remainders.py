"""What may honestly be left of the difference between two sides once both run in float64: anything else is another formula."""

from __future__ import annotations

import dataclasses

import numpy as np

from ...cases import Case, Change, Inputs, Precision, Unavailable, Variant
from ...differences import Leaf
from ...differences.allowance import max_limit
from ...floats import FLOAT64, Format
from ...noise import LeafNoise, Noise, noise_of, noise_of_side, residual_of, root_mean_square
from ...noise.approximation import approximation
from ...noise.stored import StoredNoise, few_stored_noise, stored_noise
from ...ops.deviation import ROUNDING_RMS, SAMPLES
from .. import limits

SAME_RULE = 0.95
"""Ties of which so many are decided alike in two precisions are decided by a rule; of ties that rounding decides it is half, by chance."""
SMALL_AMPLITUDE = 2.0**-6
VISIBLE_STEP = 8.0
"""A jump shorter than eight half spacings of the stored result is taken for rounding: storing two results moves each by one, and the
ops just before the end add a few more."""
FAITHFUL = 4.0
"""A lifted run that computes the same function is off the native one by at most the native error plus its own difference from the
reference, which the native error contains: twice the native error. Twice that again is allowed, and one standard deviation
of the noise, before it counts as another function."""
BOTH_HONEST = 2.0
"""Two honest results are each up to one limit away from the reference, so up to two from each other."""
SHOWN_BITS = 8.0
"""Orders and libraries make honest errors up to 2^4 apart (0.1 to 1.5 of the noise), on both sides."""
MOST = 0.5
"""The share of results that rounding inside has moved at least: it goes through all of them, and leaves few as they are."""
OFTEN = 24
"""Samples of a tie that is decided either way by chance: all of them fall to one side once in 2^23 times."""
FEWEST_JUMPS = 8
"""So many elements that jump don't all stay where they are in four samples: once in 2^32 times."""
JUMPS = 0.25
"""Noise of a 64th of the amplitude moves a smooth function a 64th as far; an element that still moves a quarter as far jumps."""


def is_rounding_of_float64(case: Case, values: list[np.ndarray], path: str) -> bool:
    """Whether the float64 difference is what float64's own rounding makes of the ops of both: an algorithm that loses nearly everything.

    Args:
        values: of `actual` and `expected` in float64, and of `actual` as written. path: of the output.
    """
    with np.errstate(invalid="ignore"):
        kept = np.abs(values[2] - values[1]) <= limits.ILL_CONDITIONED * np.abs(values[1])
    if kept.all():  # float64 loses a 2^29th of what float32 does: nothing, where that has digits left
        return False
    if _would_show(values, case.storage) or _is_stable(case, values, path):
        return False
    leaves: list[LeafNoise] = []
    for name in ("actual", "expected"):
        noise = case.remembered(_of_actual if name == "actual" else _of_expected)
        leaf = noise.leaves.get(path) if noise is not None else None
        if leaf is None or leaf.shape != values[1].shape:
            return False
        leaves.append(leaf)
    both = dataclasses.replace(leaves[0], spread=np.hypot(leaves[0].spread, leaves[1].spread))
    return residual_of(values[0], both, reference=values[1]).excess(SAMPLES).within


def _of_actual(case: Case) -> Noise | None:
    return noise_of_side(case, "actual", FLOAT64)


def _of_expected(case: Case) -> Noise | None:
    return noise_of_side(case, "expected", FLOAT64)


def _would_show(values: list[np.ndarray], storage: Format) -> bool:
    """Whether rounding of float64 that makes such a difference would have left far larger errors as written than there are.

    In the stored format it makes them 2^(53 - p) times as large, until nothing of the result is left: as large as the largest of all. An
    error that is less than a 2^`SHOWN_BITS`th of both belongs to no such rounding; nor does one that is less than half where nothing at all
    would be left.
    """
    with np.errstate(invalid="ignore", over="ignore"):
        grown = np.abs(values[0] - values[1]) * 2.0 ** (FLOAT64.precision_bits - storage.precision_bits)
        error = np.abs(values[2] - values[1])
    usable = np.isfinite(grown) & np.isfinite(error)
    if not usable.any():
        return False
    largest = float(np.max(np.abs(values[1])[usable]))
    predicted = root_mean_square(np.minimum(grown[usable], limits.ILL_CONDITIONED * largest))
    margin = 1.0 if root_mean_square(grown[usable]) > 2.0**SHOWN_BITS * largest else SHOWN_BITS
    return root_mean_square(error[usable]) * 2.0**margin < predicted


def _is_stable(case: Case, values: list[np.ndarray], path: str) -> bool:
    """Whether each side gives in float64 what it gives as written, by far more closely than the two sides agree there.

    Rounding that moves a result so far in float64 moves it as far, and elsewhere, where fewer bits are kept: as written the side would be
    off from its own float64 result by no less.
    """
    written = case.native("expected").by_path.get(path)
    if written is None or written.stored.shape != values[1].shape:
        return False
    with np.errstate(invalid="ignore", over="ignore"):
        apart, *moved = values[0] - values[1], values[2] - values[0], written.float64() - values[1]
    usable = np.isfinite(apart) & np.isfinite(moved[0]) & np.isfinite(moved[1])
    if not usable.any():
        return False
    return max(root_mean_square(part[usable]) for part in moved) * FAITHFUL < root_mean_square(apart[usable])


def is_drawn_anew(case: Case, path: str, apart: np.ndarray) -> bool:
    """Whether the float64 difference is another one wherever the inputs move, and no smaller: rounding that float64 doesn't reach.

    Kernels and NumPy code that go through float32 whatever they are given do so, in most results. The difference of two formulas stays, a
    tie goes, and what is wrong at few places is no rounding wherever it moves to.

    Args:
        path: of the output. apart: the difference on the given inputs.
    """
    apart = np.where(np.isfinite(apart), apart, 0.0)
    if np.count_nonzero(apart) < MOST * apart.size:
        return False
    differences: list[np.ndarray] = []
    for repetition in range(limits.REPETITIONS):
        moved = Variant(Precision.FLOAT64, Inputs(Change.MOVED, repetition))
        leaves: list[Leaf] = []
        for name in ("actual", "expected"):
            run = case.run(name, moved)
            if isinstance(run, Unavailable) or path not in run.by_path:
                return False
            leaves.append(run.by_path[path])
        if leaves[0].shape != leaves[1].shape:
            return False
        with np.errstate(invalid="ignore"):
            difference = leaves[0].float64() - leaves[1].float64()
        differences.append(np.where(np.isfinite(difference), difference, 0.0))
    total = root_mean_square(np.asarray(differences))
    if root_mean_square(apart) > FAITHFUL * total:
        return False
    return (root_mean_square(np.mean(differences, axis=0)) / total) ** 2 <= limits.SYSTEMATIC


def is_approximation(case: Case, values: list[np.ndarray], spread: LeafNoise) -> bool:
    """Whether the float64 difference is what is left of elementary functions that `actual` writes out, as closely as libraries have them.

    Over all, it is within their own spread; at the worst element within its limit, or as small as what they leave elsewhere in its row and
    column: a polynomial that is exact in absolute terms has fewer digits where the result is small.

    Args:
        values: of `actual` and `expected` in float64. spread: the noise of the output.
    """
    with np.errstate(invalid="ignore"):
        apart = np.abs(values[0] - values[1])
    apart = np.where(np.isfinite(apart), apart, 0.0)
    if root_mean_square(apart) > root_mean_square(spread.spread):
        return False  # more than all ops leave that round, and elementary functions are among them
    room = case.remembered(approximation).spreads.get(spread.path)
    if room is None or room.shape != apart.shape:
        return False
    room = room + limits.SHORT_CONSTANTS * spread.spread
    with np.errstate(invalid="ignore", divide="ignore"):
        times = np.where(apart > 0, apart / room, 0.0)
    is_small = apart <= _around(room) / ROUNDING_RMS  # the largest error, of which the spread is that share
    return root_mean_square(np.where(is_small, 0.0, times)) <= 1.0 and bool(np.all(is_small | (times <= max_limit(SAMPLES, apart.size))))


def _around(room: np.ndarray) -> np.ndarray:
    """The root mean square of the slices along each axis that an element lies in, the smallest of them; of all where slices have few."""
    square = np.square(room)
    found = np.full(room.shape, np.mean(square) if room.size else 0.0)
    for axis in range(room.ndim):
        if room.size >= limits.FEWEST * room.shape[axis]:
            others = tuple(other for other in range(room.ndim) if other != axis)
            found = np.minimum(found, np.mean(square, axis=others, keepdims=True))
    return np.sqrt(found)


def beyond_stored(case: Case, values: list[np.ndarray], spread: LeafNoise) -> float:
    """The float64 difference, in units of what the rounding of stored numbers can make of it; above 1 it is another formula.

    A factor that was rounded once is worth u of each result, and may be hidden in either side (NumPy's scalars, a power of the constant).
    Whatever else is rounded was seen, and has its own spread.

    Args:
        values: of `actual` and `expected` in float64, and of `actual` as written. spread: the noise of the output.
    """
    for stored in (case.remembered(few_stored_noise), case.remembered(stored_noise)):
        times = _over_stored(values, spread, case.storage, stored)
        if np.max(times, initial=0.0) > 1.0:  # by few samples, whose limits are wide
            break
    step = _step(values, case.storage)
    if np.max(times, initial=0.0) > 1.0:
        peers = case.native("expected").by_path[spread.path].float64()
        with np.errstate(invalid="ignore"):
            differences = values[0] - values[1], values[2] - peers
        times = np.where(jumps_elsewhere(case, differences, spread, step), 0.0, times)
    return float(np.max(times, initial=0.0))


def _step(values: list[np.ndarray], storage: Format) -> np.ndarray:
    """Half a spacing of each stored result."""
    with np.errstate(invalid="ignore", over="ignore"):
        return storage.unit_roundoff * np.abs(values[1]) + np.where(values[1] != 0, storage.min_subnormal, 0.0)


def _over_stored(values: list[np.ndarray], spread: LeafNoise, storage: Format, stored: StoredNoise) -> np.ndarray:
    """The float64 difference of each element in units of the room that the rounding of stored numbers leaves."""
    own = stored.spreads.get(spread.path)
    lifted = stored.outputs.get(spread.path, values[0])
    lifted = lifted if lifted.shape == values[1].shape else values[0]
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        apart = np.abs(lifted - values[1])
        room = _step(values, storage) + limits.SHORT_CONSTANTS * spread.spread
        if own is not None and own.shape == room.shape:
            room = room + max_limit(stored.samples, apart.size, slack=1.0) * own
        times = np.where(apart > 0, apart / room, 0.0)
    return np.where(np.isfinite(apart), times, 0.0)


def jumps_elsewhere(
    case: Case, differences: tuple[np.ndarray, np.ndarray], spread: LeafNoise, step: np.ndarray, declared: Format | None = None
) -> np.ndarray:
    """Where the two differ by jumps at near ties of the other precision: at elements that a little noise makes jump, others than natively.

    An exact tie is decided the same way in every precision, so the difference there is the same number as it was natively.

    Args:
        differences: of the two sides in the other precision, and as written. spread: the noise of the output. step: half a spacing of each
            stored result. declared: the other precision, where it is less than float64.
    """
    other, native = differences
    with np.errstate(invalid="ignore"):
        same = np.abs(other - native) <= limits.VANISHES * np.abs(other)
        possible = np.abs(other) > VISIBLE_STEP * step
    if not possible.any() or np.mean(same[possible]) >= SAME_RULE or np.max(np.abs(other)[possible]) > BOTH_HONEST * np.max(spread.largest):
        return np.zeros_like(possible)

    def alike(noise: Noise) -> np.ndarray:
        largest = noise.leaves[spread.path].largest
        by_as_much = (largest > JUMPS * np.abs(other)) & (np.abs(other) > JUMPS * largest)
        return possible & by_as_much & (largest > JUMPS * spread.spread)

    def none_jump(noise: Noise) -> bool:
        # Each element that jumps shows it in one of four samples but once in sixteen times: of eight and more not all hide.
        return bool(np.count_nonzero(possible) >= FEWEST_JUMPS and not alike(noise).any())

    return alike(noise_of(case, accumulate=False, amplitude=SMALL_AMPLITUDE, samples=OFTEN, declared=declared, enough=none_jump))
