"""growth: does the error grow with the size as rounding does?"""

from __future__ import annotations

import inspect
import math
import operator
import time
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from ..cases import Case, require_runnable
from ..differences.allowance import rms_limit, student_quantile
from ..errors import HalfulpError, InputError
from ..noise import noise_of
from ..process.border import answered
from ..verdicts.checker import judged
from ..verdicts.gatherer import Gatherer
from .slopes import Growth, GrowthPoint, Slope

HALVINGS = 6
"""Sizes below the one that `inputs` has by default: two decades with one size above it, enough for a slope."""
CONFIDENCE = 0.95


@answered
def growth(
    actual: Callable[..., Any],
    expected: Callable[..., Any],
    inputs: Callable[[int, int], Any],
    sizes: Iterable[int] | None = None,
    *,
    seeds: Iterable[int] = (0,),
    declared: object = None,
    reference: Callable[..., Any] | None = None,
    keywords: dict[str, Any] | None = None,
    progress: Callable[[str], None] | None = None,
) -> Growth:
    """How does the error grow with the size: as rounding does, or faster?

    Args:
        actual, expected, declared, reference, keywords: as for `check`.
        inputs: a function of seed and size that returns the inputs.
        sizes: which to try; by default 8 powers of two around the size that `inputs` has by default.
        seeds: for each size.
        progress: called with a few words before each size.

    Returns:
        A `Growth`: errors, predicted noise and verdict at each size, slopes on logarithmic axes. After Ctrl-C, or where a later size
        fails, what was found so far, with complete=False.

    Raises:
        InputError: `inputs` takes no size, no sizes are known, or the first of them fails.

    Numerics:
        For a sum added one by one, |error| / rms of the result grows with exponent 1/2 (random signs); for blocks and trees with less.
        The noise samples the model of one by one: it is an upper estimate for other orders.
    """
    require_runnable("`growth` runs both sides on inputs of many sizes", {"actual": actual, "expected": expected})
    chosen, seeds = _sizes(inputs, sizes), tuple(operator.index(number) for number in seeds)
    if not seeds:
        raise InputError("Got no seeds. Needed: at least one. `inputs` is called with each. Leave them out to use seed 0.")
    show = progress or (lambda _: None)
    start = time.perf_counter()
    points: list[GrowthPoint] = []
    names, format_name, complete, stopped = ("actual", "expected"), "float32", True, ""
    try:
        for size in chosen:
            for seed in seeds:
                show(f"size {size:,} of {chosen[-1]:,}{_left(points, chosen, len(seeds), time.perf_counter() - start)}")
                case = Case(
                    actual, expected, _inputs(inputs, seed, size), declared=declared, reference=reference, keywords=keywords, seed=seed
                )
                format_name = case.declared.name
                point, names = _point(case, size, seed)
                points.append(point)
    except KeyboardInterrupt:
        complete, stopped = False, "the run was interrupted."
    except HalfulpError as error:  # what larger sizes can't do is no reason to lose the smaller ones
        if not points:
            raise
        complete, stopped = False, str(error)
    return Growth(
        tuple(points), _slopes(points), format_name, names, seconds=time.perf_counter() - start, complete=complete, stopped=stopped
    )


def _left(points: list[GrowthPoint], sizes: list[int], seeds: int, spent: float) -> str:
    """How long the rest takes, if it takes as long for its size as what was done."""
    done = sum(point.size for point in points)
    return f", {spent / done * (seeds * sum(sizes) - done):.0f} s left" if done else ""


def _sizes(inputs: Callable[..., Any], sizes: Iterable[int] | None) -> list[int]:
    parameters = inspect.signature(inputs).parameters
    size = parameters.get("size")
    if size is None:
        raise InputError(
            "Got `inputs` without a parameter `size`. Needed: inputs(seed, size=...), which returns inputs of that size. Errors are measured at several sizes. Add the parameter."
        )
    if sizes is not None:
        chosen = sorted({operator.index(number) for number in sizes})
        if not chosen or chosen[0] < 1:
            raise InputError(
                f"Got sizes {chosen}. Needed: at least one, all above 0. Exponents are fitted to their logarithms. Pass (64, 256, 1024)."
            )
        return chosen
    if not isinstance(size.default, int) or size.default < 1:
        raise InputError(
            "Got no sizes, and `inputs` has no default for `size`. Needed: at least one size. Nothing was run. Pass sizes=(64, 256, 1024) or --sizes 64,256,1024."
        )
    return sorted({max(1, size.default >> k) for k in range(HALVINGS + 1)} | {2 * size.default})


def _inputs(inputs: Callable[..., Any], seed: int, size: int) -> Any:
    try:
        return inputs(seed, size=size)
    except Exception as error:
        raise InputError(
            f"Got {type(error).__name__} from inputs({seed}, size={size}): {error}. Needed: inputs of that size. Nothing was run at this size. Choose other sizes, or fix `inputs`."
        ) from error


def _point(case: Case, size: int, seed: int) -> tuple[GrowthPoint, tuple[str, str]]:
    gatherer = Gatherer(case, lambda _: None)
    result = judged(gatherer)
    noise = gatherer.sampled or noise_of(case)
    norms = {"actual": 0.0, "expected": 0.0, "difference": 0.0, "noise": 0.0, "reference": 0.0}
    leaves = {name: {leaf.path: leaf for leaf in case.native(name).outputs} for name in ("actual", "expected")}
    for path, known in noise.leaves.items():
        actual, expected = leaves["actual"].get(path), leaves["expected"].get(path)
        if actual is None or expected is None or actual.format is None or expected.format is None:
            continue
        if not actual.stored.shape == expected.stored.shape == known.reference.shape:
            continue
        values = {"actual": actual.float64(), "expected": expected.float64()}
        finite = np.isfinite(known.reference) & np.isfinite(values["actual"]) & np.isfinite(values["expected"])
        parts = {name: array[finite] - known.reference[finite] for name, array in values.items()}
        parts |= {
            "difference": values["actual"][finite] - values["expected"][finite],
            "noise": known.spread[finite],
            "reference": known.reference[finite],
        }
        for name, part in parts.items():
            norms[name] = math.hypot(norms[name], float(np.linalg.norm(part)))
    unit = case.declared.unit_roundoff * norms["reference"]
    scaled = {name: _over(value, unit) for name, value in norms.items()}
    point = GrowthPoint(
        size,
        seed,
        result.verdict,
        scaled["actual"],
        expected_error=scaled["expected"],
        difference=scaled["difference"],
        noise=scaled["noise"],
        limit=rms_limit(noise.count),
    )
    return point, result.names


def _over(amount: float, unit: float) -> float:
    """A ratio; 0 of nothing is 0, anything of nothing is infinite."""
    return 0.0 if amount == 0.0 else amount / unit if unit else math.inf


def _slopes(points: list[GrowthPoint]) -> tuple[Slope, ...]:
    found: list[Slope] = []
    for of, name in (("actual", "actual_error"), ("expected", "expected_error"), ("difference", "difference"), ("noise", "noise")):
        pairs = [(math.log(point.size), math.log(getattr(point, name))) for point in points if 0 < getattr(point, name) < math.inf]
        if len({size for size, _ in pairs}) < 3:
            continue
        found.append(_fitted(of, np.array(pairs)))
    return tuple(found)


def _fitted(of: str, pairs: np.ndarray) -> Slope:
    from scipy.stats import linregress  # a second to load

    line: Any = linregress(pairs[:, 0], pairs[:, 1])
    exponent, width = float(line.slope), float(line.stderr) * student_quantile(1.0 - CONFIDENCE, len(pairs) - 2)
    return Slope(of, exponent, exponent - width, exponent + width, factor=math.exp(float(line.intercept)))
