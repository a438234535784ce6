"""closeups_of(gatherer): what pictures of a check are drawn from, chosen so that it stays small however large the outputs are."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..differences import Leaf
from ..differences.allowance import max_limit
from ..differences.excess import in_noise
from ..noise import DATA, LeafNoise, Noise, noise_of, widened
from . import limits
from .closeup import Closeup, Heat, Profile
from .evidence.noise import judged_by
from .evidence.patterns import CLIPPED, bands_of
from .gatherer import Gatherer

FloatArray = npt.NDArray[np.float64]

ELEMENTS = 2000
"""Elements listed in all: a scatter plot of more hides more than it shows, and the page stays small."""
FEWEST_ELEMENTS = 50
"""Of one output, where there are many."""
WORST = 0.25
"""Share of the listed elements that are the worst; the others show how the rest lies."""
OUTPUTS = 40
"""Outputs that are looked at: those with the largest errors, of a model with hundreds of gradients."""
ENTRIES = 256
"""Entries of a profile, and TILES of a map in each direction: as many as a screen shows apart."""
TILES = 64
DIGITS = 6
"""Significant digits of what is sampled or averaged. Values have all theirs: errors are their differences."""


def closeups_of(gatherer: Gatherer) -> tuple[Closeup, ...]:
    """Each floating-point output that both sides have, those that differ most first."""
    case = gatherer.case
    expected = {leaf.path: leaf for leaf in case.native("expected").outputs}
    pairs = [
        (leaf, expected[leaf.path])
        for leaf in case.native("actual").outputs
        if leaf.path in expected and leaf.format is not None and expected[leaf.path].format is not None and leaf.stored.size
        and leaf.stored.shape == expected[leaf.path].stored.shape
    ]  # fmt: skip
    noise, sampled = None, None
    if gatherer.sampled is not None:
        noise = judged_by(case.native("actual"), widened(gatherer.sampled, case.native("expected")), gatherer.sampled)
        sampled = noise_of(case, profiles=True, rounds=DATA)
    sizes = {difference.path: difference.max_abs for difference in gatherer.comparison}
    pairs = sorted(pairs, key=lambda pair: -sizes.get(pair[0].path, 0.0))[:OUTPUTS]
    room = max(FEWEST_ELEMENTS, ELEMENTS // max(1, len(pairs)))
    return tuple(_closeup(actual, expected, noise, sampled, room) for actual, expected in pairs)


def _closeup(actual: Leaf, expected: Leaf, noise: Noise | None, sampled: Noise | None, room: int) -> Closeup:
    actual_numbers, expected_numbers = actual.float64(), expected.float64()
    spread = noise.leaves.get(actual.path) if noise is not None else None
    if spread is not None and spread.reference.shape != actual_numbers.shape:
        spread = None
    with np.errstate(invalid="ignore", over="ignore"):
        error = actual_numbers - (spread.reference if spread is not None else expected_numbers)
    scaled = in_noise(error, spread.spread) if spread is not None else np.abs(error)
    places, worst = _chosen(scaled.ravel(), expected_numbers.ravel(), room)

    def listed(values: FloatArray) -> tuple[float, ...]:
        return tuple(values.ravel()[places].tolist())

    limit = max_limit(noise.degrees, spread.reference.size) if noise is not None and spread is not None else None
    with_noise = (listed(spread.reference), _short(spread.spread.ravel()[places])) if spread is not None else ((), ())
    known = sampled.leaves.get(actual.path) if sampled is not None else None
    return Closeup(
        actual.path,
        actual.shape,
        actual.dtype,
        int(actual_numbers.size),
        tuple(places.tolist()),
        worst,
        listed(actual_numbers),
        listed(expected_numbers),
        *with_noise,
        limit=limit,
        profiles=_profiles(error, spread, known, noise) if spread is not None and known is not None and noise is not None else (),
        heat=_heat(scaled, limit) if limit is not None else None,
    )


def _chosen(scaled: FloatArray, values: FloatArray, room: int) -> tuple[npt.NDArray[np.int64], int]:
    """(flat indices, how many of the first are the worst): the worst, then every so many-th by the size of the value."""
    amounts = np.nan_to_num(np.abs(scaled), nan=np.inf, posinf=np.inf)
    count = min(room, len(amounts))
    worst = min(max(1, int(count * WORST)), len(amounts))
    first = np.argpartition(-amounts, worst - 1)[:worst]
    first = first[np.lexsort((first, -amounts[first]))]
    by_size = np.argsort(np.abs(np.nan_to_num(values)), kind="stable")
    rest = by_size[np.unique(np.linspace(0, len(by_size) - 1, count).astype(np.int64))]
    rest = rest[~np.isin(rest, first)][: count - worst] if count > worst else rest[:0]
    return np.concatenate((first, rest)).astype(np.int64), worst


def _profiles(error: FloatArray, spread: LeafNoise, known: LeafNoise, noise: Noise) -> tuple[Profile, ...]:
    found: list[Profile] = []
    for axis, means, band in bands_of(np.clip(in_noise(np.nan_to_num(error), spread.spread), -CLIPPED, CLIPPED), known, noise.count):
        if len(means) < 2 or error.size // len(means) < limits.FEWEST:
            continue
        step = -(-len(means) // ENTRIES)
        blocks = [np.arange(start, min(start + step, len(means))) for start in range(0, len(means), step)]
        indices = [int(block[np.argmax(np.abs(means[block]) / band[block])]) for block in blocks]
        found.append(Profile(axis, step, tuple(indices), _short(means[indices]), band=_short(band[indices])))
    return tuple(found)


def _heat(scaled: FloatArray, limit: float) -> Heat | None:
    """The map; an error where rounding moves nothing counts as much as the largest other one, or as the limit of correct rounding."""
    finite = np.abs(scaled[np.isfinite(scaled)])
    scaled = np.where(np.isinf(scaled), max(limit, float(finite.max(initial=0.0))), scaled)
    if scaled.ndim < 2 or scaled.shape[-1] < 2 or scaled.shape[-2] < 2:
        return None
    squares = np.square(np.nan_to_num(scaled.reshape(-1, *scaled.shape[-2:]))).mean(0)
    steps = [-(-size // TILES) for size in squares.shape]
    counts = np.ones_like(squares)
    tiles = [
        np.add.reduceat(np.add.reduceat(item, range(0, item.shape[0], steps[0]), 0), range(0, item.shape[1], steps[1]), 1)
        for item in (squares, counts)
    ]
    values = np.sqrt(tiles[0] / tiles[1])
    return Heat(values.shape[0], values.shape[1], steps[0], steps[1], values=_short(values.ravel()))


def _short(values: FloatArray) -> tuple[float, ...]:
    return tuple(float(f"{item:.{DIGITS}g}") for item in values.tolist())
