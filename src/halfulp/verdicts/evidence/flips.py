"""Did a discontinuity (argmax, floor, a comparison, a mask) turn rounding into a jump?

A jump is shown, not guessed: `expected` in float64 is run with rounding-sized noise until it jumps at the same elements itself.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...cases import Case, observed
from ...cases.trees import tensors_of
from ...differences.allowance import FALSE_ALARM, max_limit, student_quantile
from ...floats import FLOAT64
from ...noise import DATA, Noise, noise_of, residual_of
from ...ops.deviation import MAGNIFIED
from ...process.dispatch import DispatchMode
from .evidence import Evidence
from .finding import Finding

F = Finding
AMPLITUDES = (1.0, 2.0, 4.0, 16.0)
"""Multiples of the sampled rounding that are tried: an element n spreads away from its edge jumps often at amplitude n, and honest
results of a million elements lie up to five spreads out; 16 leaves room for fast products."""
SAMPLES = 24
"""At amplitude 4 an element two spreads from its edge jumps in 31 % of the samples; all 24 miss it once in 7,000 times."""
BULK = 0.5
"""Where more than half of the elements are off, they are no exceptions that a few near ties could explain."""
JUMP = 0.5
"""A sample counts as the same jump when it moves the element by at least half of what `actual` is off."""

Targets = dict[str, tuple[np.ndarray, np.ndarray | None]]
"""Per output the elements beyond rounding, and their errors (None of integers)."""


def flips(case: Case, noise: Noise) -> Evidence | None:
    """Whether the elements that are beyond rounding are ones at which rounding alone makes `expected` jump.

    Returns:
        None where more elements are beyond rounding than a discontinuity near a few of them could explain (the bulk is off).
    """
    targets = _beyond(case, noise)
    if targets is None or not targets:
        return None
    if all(error is None for _, error in targets.values()) and _rounds_nowhere(case):
        nowhere = {path: np.zeros(mask.shape, dtype=bool) for path, (mask, _) in targets.items()}
        return _evidence(targets, nowhere, AMPLITUDES[-1], F.NO_JUMP)
    shown: dict[str, np.ndarray] = {path: np.zeros(mask.shape, dtype=bool) for path, (mask, _) in targets.items()}
    farthest = noise_of(case, samples=SAMPLES, amplitude=AMPLITUDES[-1], rounds=DATA)
    reached = _moved(case, targets, farthest)
    if not all(reached[path][mask].all() for path, (mask, _) in targets.items()):
        return _evidence(targets, reached, AMPLITUDES[-1], F.NO_JUMP)  # what does not move that far when moved farthest jumps nowhere
    # Samples of float64 are magnified and their deviations divided again, which makes a jump small, and the spread where it was met.
    magnified = MAGNIFIED if noise.declared == FLOAT64 else 1.0
    amplitudes = tuple(dict.fromkeys((1.0 / magnified, *AMPLITUDES)))
    amplitude, smooth = amplitudes[0], noise.leaves
    for amplitude in amplitudes:
        is_last = amplitude == AMPLITUDES[-1]
        samples = farthest if is_last else noise_of(case, samples=SAMPLES, amplitude=amplitude, rounds=DATA)
        # What an element that has not jumped yet is moved by is known from the first samples, more of them than the noise has.
        count, scale = (noise.count, amplitude) if amplitude == amplitudes[0] else (SAMPLES, amplitude / amplitudes[0])
        for path, (mask, error) in targets.items():
            leaf = samples.leaves.get(path)
            if leaf is None:
                continue
            if error is None:
                shown[path] |= (leaf.changed > 0) & mask
            else:
                linear = _linear_reach(count, mask.size) * scale * smooth[path].spread
                shown[path] |= (magnified * leaf.largest >= JUMP * np.abs(error)) & (leaf.largest > linear) & mask
        if amplitude == amplitudes[0]:
            smooth = samples.leaves
        if all(shown[path][mask].all() for path, (mask, _) in targets.items()):
            break
    is_explained = all(shown[path][mask].all() for path, (mask, _) in targets.items())
    return _evidence(targets, shown, amplitude, F.JUMPS if is_explained else F.NO_JUMP)


def _rounds_nowhere(case: Case) -> bool:
    """Whether `expected` is seen to compute with whole numbers alone: then the rounding of `actual` excuses nothing."""
    watch = _Kinds()
    return observed(case, "expected", watch) and watch.kinds == {False}


class _Kinds(DispatchMode):
    """Sees whether results are floating-point."""

    def __init__(self) -> None:
        super().__init__()
        self.kinds: set[bool] = set()

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = func(*args, **(kwargs or {}))
        self.kinds |= {tensor.is_floating_point() or tensor.is_complex() for tensor in tensors_of((args, result))}
        return result


def _moved(case: Case, targets: Targets, samples: Noise) -> dict[str, np.ndarray]:
    """Which targets a sample moves by as much as `actual` is off, by a jump or not."""
    magnified = MAGNIFIED if case.declared == FLOAT64 else 1.0
    found: dict[str, np.ndarray] = {}
    for path, (mask, error) in targets.items():
        leaf = samples.leaves.get(path)
        if leaf is None:
            found[path] = np.zeros(mask.shape, dtype=bool)
        else:
            found[path] = mask & ((leaf.changed > 0) if error is None else (magnified * leaf.largest >= JUMP * np.abs(error)))
    return found


def _evidence(targets: Targets, shown: dict[str, np.ndarray], amplitude: float, finding: Finding) -> Evidence:
    path = max(targets, key=lambda target: int(targets[target][0].sum()))
    return Evidence(
        "flips",
        finding,
        measured={
            "beyond": sum(int(mask.sum()) for mask, _ in targets.values()),
            "explained": sum(int(shown[place].sum()) for place in targets),
            "count": sum(int(mask.size) for mask, _ in targets.values()),
            "amplitude": amplitude,
            "first_index": [int(item) for item in np.argwhere(targets[path][0])[0]],
        },
        path=path,
    )


def _linear_reach(count: int, size: int) -> float:
    """How many spreads, sampled so often, the largest deviation of any element reaches where nothing jumps.

    The spread was estimated from few samples, and the elements looked at are those where it came out smallest: Student's t, over all.
    """
    return student_quantile(FALSE_ALARM / (SAMPLES * max(1, size)), 2 * (count // 2))


def _beyond(case: Case, noise: Noise) -> Targets | None:
    """Per output the elements beyond rounding and their errors; None when the other elements are off as well."""
    targets: Targets = {}
    expected = {leaf.path: leaf for leaf in case.native("expected").outputs}
    for leaf in case.native("actual").outputs:
        spread, peer = noise.leaves.get(leaf.path), expected.get(leaf.path)
        if spread is None or peer is None or spread.reference.shape != leaf.stored.shape:
            continue
        values = leaf.float64()
        if leaf.format is None:
            mask = values != peer.float64()
            if mask.any():
                targets[leaf.path] = (mask, None)
            continue
        with np.errstate(invalid="ignore", divide="ignore"):
            error = values - spread.reference
            scaled = np.abs(np.where(error == 0, 0.0, error / spread.spread))
        mask = np.isfinite(error) & (scaled > max_limit(noise.count, leaf.stored.size))
        if not mask.any():
            continue
        kept = np.where(mask, spread.reference, values)
        if residual_of(kept, spread).excess(noise.count).of_limit > 1.0 or mask.mean() > BULK:
            return None
        targets[leaf.path] = (mask, error)
    return targets
