"""Does the difference shrink when both sides get more bits? Rounding does, by about 2**29 from float32 to float64; a formula stays.

Where float64 itself is declared, both sides are run in float32 instead: equal formulas then agree within float32's rounding, or differ by
as many times more as rounding grows.
"""

from __future__ import annotations

import dataclasses
import math

import numpy as np

from ...cases import LIFTED, Case, Change, Inputs, Precision, Run, Unavailable, Variant
from ...differences import Leaf
from ...differences.allowance import max_limit
from ...floats import BFLOAT16, FLOAT32, FLOAT64, Format, is_representable
from ...noise import LeafNoise, Noise, Residual, noise_of, noise_of_inputs, noise_of_side, residual_of, stored_noise, uses_transforms
from ...ops.deviation import SAMPLES
from .. import limits
from .evidence import Evidence, Measured
from .finding import Finding

F = Finding


def _unavailable(reason: str, **measured: Measured) -> Evidence:
    return Evidence("scaling", F.UNAVAILABLE, measured={"why": reason, **measured})


def scaling(case: Case, noise: Noise, *, beyond: bool) -> Evidence:
    """The difference between the two sides in float64, against what it is in the declared precision.

    Args:
        case, noise: what is judged, and its noise.
        beyond: whether the error is beyond rounding; then the loss in float64 is measured too, on inputs with all bits in use.
    """
    if case.finest is Precision.NATIVE:
        return _lowered(case)
    actual, expected = (case.run(name, LIFTED) for name in ("actual", "expected"))
    if isinstance(actual, Unavailable):
        return (_coarsened(case, noise) if beyond else None) or _unavailable(actual.reason)
    if isinstance(expected, Unavailable):
        return _unavailable(expected.reason)
    jumped = _unequal_integers(case, actual, expected)
    if jumped:
        return Evidence("scaling", F.STAYS, measured={"unequal_integers_in_float64": jumped})
    evidence = _of_outputs(case, noise, actual, expected, beyond=beyond)
    elsewhere = case.lifted_elsewhere("actual") or case.lifted_elsewhere("expected")
    if beyond and elsewhere and evidence.finding in (F.VANISHES, F.CONSTANTS):
        return _unavailable(
            f"{elsewhere} has no float64; the formulas agree on the processor, which says nothing about the kernels of {elsewhere}"
        )
    return evidence


def _of_outputs(case: Case, noise: Noise, actual: Run, expected: Run, *, beyond: bool) -> Evidence:
    """The evidence of the output that differs most in float64."""
    native = {leaf.path: leaf for leaf in case.native("actual").outputs}
    lifted = {leaf.path: leaf for leaf in actual.outputs}
    worst: Evidence | None = None
    for leaf in expected.outputs:
        spread, other = noise.leaves.get(leaf.path), lifted.get(leaf.path)
        if leaf.format is None or spread is None:
            continue
        if other is None or other.shape != leaf.shape or leaf.path not in native or native[leaf.path].shape != leaf.shape:
            return _unavailable("`actual` returns another shape in float64: it looks at the bits of its inputs")
        values = [side.float64() for side in (other, leaf, native[leaf.path])]
        trouble = _not_lifted(values[0], values[1], values[2], spread, case.storage)
        if trouble:
            return _unavailable(trouble)
        remains = residual_of(values[0], spread, reference=values[1])
        native_rms = residual_of(values[2], spread).rms
        if _vanishes(values, spread):
            finding, worst_excess = F.VANISHES, 0.0
        else:
            worst_excess = beyond_stored(case, values, spread)
            finding = F.STAYS if worst_excess > 1.0 else F.CONSTANTS
            if finding == F.STAYS and is_rounding_of_float64(case, values, leaf.path):
                finding, worst_excess = F.LOST_IN_FLOAT64, 0.0
        evidence = Evidence(
            "scaling",
            finding,
            measured={
                "native_rms": native_rms,
                "float64_rms": remains.rms,
                "shrinks_bits": math.log2(native_rms / remains.rms) if remains.rms and native_rms else None,
                "float64_max_in_noise": remains.max_in_noise,
                "loss_in_float64": _loss_in_float64(case, noise, leaf.path) if beyond else None,
                "excess_over_data_rounding": worst_excess,
                "overridden": list(dict.fromkeys([*actual.overridden, *expected.overridden])),
            },
            path=leaf.path,
        )
        if worst is None or worst_excess > float(worst.measured["excess_over_data_rounding"]):  # type: ignore[arg-type]
            worst = evidence
    return worst or _unavailable("no output is a floating-point tensor")


def _vanishes(values: list[np.ndarray], spread: LeafNoise) -> bool:
    """Whether the float64 difference is small against the native error, over all and at the worst element, in units of the noise.

    In units of the noise a small wrong row is not hidden by the rounding of a large one. Elements that rounding does not move count with
    a small part of the typical noise: any remainder would be infinite in their own. Where rounding moves nothing at all, they count as
    they are.
    """
    typical = float(np.sqrt(np.mean(np.square(spread.spread)))) if spread.spread.size else 0.0
    floor = limits.VANISHES * typical if typical else 1.0
    floored = dataclasses.replace(spread, spread=np.maximum(spread.spread, floor))
    remains, native = residual_of(values[0], floored, reference=values[1]), residual_of(values[2], floored)
    return remains.rms_in_noise <= limits.VANISHES * native.rms_in_noise and remains.max_in_noise <= limits.VANISHES * native.max_in_noise


def _unequal_integers(case: Case, actual: Run, expected: Run) -> int:
    """How many integer or boolean elements another rule decides in float64 too; 0 where they are near ties of float64 itself.

    An exact tie that is decided by another rule is the same element, and the same difference, in every precision. A near tie is decided
    by rounding, each time elsewhere, and the rounding of float64 makes `expected` jump there.
    """
    native = {name: case.native(name).by_path for name in ("actual", "expected")}
    lifted = lasting = 0
    apart: dict[str, np.ndarray] = {}
    for leaf in expected.outputs:
        known = (actual.by_path.get(leaf.path), native["actual"].get(leaf.path), native["expected"].get(leaf.path))
        if leaf.format is not None or any(other is None or other.shape != leaf.shape for other in known):
            continue
        here, *before = (other.float64() for other in known if other is not None)
        difference = here - leaf.float64()
        apart[leaf.path] = difference != 0
        lifted += int(np.count_nonzero(difference))
        lasting += int(np.count_nonzero((difference != 0) & (difference == before[0] - before[1])))
    if not lifted or lasting >= SAME_RULE * lifted:
        return lifted
    noise = noise_of_side(case, "expected", FLOAT64) or noise_of_inputs(case, FLOAT64)
    if noise is None:
        return lifted
    jumps = [bool((noise.leaves[path].changed[mask] > 0).all()) for path, mask in apart.items() if path in noise.leaves and mask.any()]
    return 0 if all(jumps) else lifted


def _loss_in_float64(case: Case, noise: Noise, path: str) -> float | None:
    """The float64 difference in units of the noise that float64 would have, on inputs whose low bits are filled."""
    runs = [case.run(name, Variant(Precision.FLOAT64, Inputs(Change.FILLED))) for name in ("actual", "expected")]
    values: list[np.ndarray] = []
    for run in runs:
        if isinstance(run, Unavailable):
            return None
        values += [run.by_path[path].float64()] if path in run.by_path else []
    if len(values) != len(runs) or values[0].shape != values[1].shape:
        return None
    difference = residual_of(values[0], noise.leaves[path], reference=values[1])
    return difference.rms_in_noise * 2.0 ** (53 - case.storage.precision_bits)


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
OFTEN = 24
"""Samples of a tie that is decided either way by chance: all of them fall to one side once in 2^23 times."""
JUMPS = 0.25
"""Noise of a 64th of the amplitude moves a smooth function a 64th as far; an element that still moves a quarter as far jumps."""


def is_rounding_of_float64(case: Case, values: list[np.ndarray], path: str) -> bool:
    """Whether the float64 difference is what float64's own rounding makes of the ops of both: an algorithm that loses nearly everything.

    Args:
        values: of `actual` and `expected` in float64. path: of the output.
    """
    leaves: list[LeafNoise] = []
    for name in ("actual", "expected"):
        noise = noise_of_side(case, name, FLOAT64)
        leaf = noise.leaves.get(path) if noise is not None else None
        if leaf is None or leaf.shape != values[1].shape:
            return False
        leaves.append(leaf)
    both = dataclasses.replace(leaves[0], spread=np.hypot(leaves[0].spread, leaves[1].spread))
    return residual_of(values[0], both, reference=values[1]).excess(SAMPLES).within


def beyond_stored(case: Case, values: list[np.ndarray], spread: LeafNoise) -> float:
    """The float64 difference, in units of what the rounding of stored numbers can make of it; above 1 it is another formula.

    A factor that was rounded once is worth u of each result, and may be hidden in either side (NumPy's scalars, a power of the constant).
    Whatever else is rounded was seen, and has its own spread.

    Args:
        values: of `actual` and `expected` in float64, and of `actual` as written. spread: the noise of the output.
    """
    path, storage, stored = spread.path, case.storage, case.remembered(stored_noise)
    own = stored.spreads.get(path)
    lifted = stored.outputs.get(path, values[0])
    lifted = lifted if lifted.shape == values[1].shape else values[0]
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        apart = np.abs(lifted - values[1])
        step = storage.unit_roundoff * np.abs(values[1]) + np.where(values[1] != 0, storage.min_subnormal, 0.0)
        room = step + limits.SHORT_CONSTANTS * spread.spread
        if own is not None and own.shape == room.shape:
            room = room + max_limit(stored.samples, apart.size, slack=1.0) * own
        times = np.where(apart > 0, apart / room, 0.0)
    times = np.where(np.isfinite(apart), times, 0.0)
    if np.max(times, initial=0.0) > 1.0:
        peers = case.native("expected").by_path[path].float64()
        with np.errstate(invalid="ignore"):
            differences = values[0] - values[1], values[2] - peers
        times = np.where(_jumps_elsewhere(case, differences, spread, step), 0.0, times)
    return float(np.max(times, initial=0.0))


def _jumps_elsewhere(
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
    small = noise_of(case, accumulate=False, amplitude=SMALL_AMPLITUDE, samples=OFTEN, declared=declared).leaves[spread.path]
    alike = (small.largest > JUMPS * np.abs(other)) & (np.abs(other) > JUMPS * small.largest)  # a jump, by about that much
    return possible & alike & (small.largest > JUMPS * spread.spread)


def _not_lifted(actual64: np.ndarray, expected64: np.ndarray, native: np.ndarray, spread: LeafNoise, storage: Format) -> str:
    """Why the lifted run of `actual` says nothing about exact arithmetic; "" when it does."""
    with np.errstate(invalid="ignore"):
        apart = (actual64 != expected64) & np.isfinite(actual64) & np.isfinite(expected64)
        moved = residual_of(actual64, spread, reference=np.where(np.isfinite(native), native, actual64))
        error = residual_of(native, spread)
    # Numbers of few bits (counts, steps) are numbers of every format, lifted or not; so is what is left where nothing was left as written.
    simple = is_representable(actual64, BFLOAT16) & is_representable(expected64, storage) | ((native == 0) & (actual64 != 0))
    stored = is_representable(actual64, storage) & ~simple
    if apart.any() and np.mean(stored[apart]) > limits.SAME_SHARE:
        return "`actual` rounds to the declared precision inside, out of reach of a float64 run (NumPy or a compiled kernel)"
    if moved.rms_in_noise > max(1.0, FAITHFUL * error.rms_in_noise):
        return "`actual` computes something else on float64 inputs: it looks at the bits of its inputs"
    return ""


def _lowered(case: Case) -> Evidence:
    """For a float64 case: run in float32, do both sides agree within its rounding, or does their difference grow as rounding does?"""
    actual, expected = (case.run(name, Variant(Precision.FLOAT32)) for name in ("actual", "expected"))
    if isinstance(actual, Unavailable):
        return _unavailable(actual.reason)
    if isinstance(expected, Unavailable):
        return _unavailable(expected.reason)
    noise = noise_of(case, declared=FLOAT32)
    mixes = noise.has_products or uses_transforms(case, "actual")
    native = {name: {leaf.path: leaf for leaf in case.native(name).outputs} for name in ("actual", "expected")}
    lifted = {leaf.path: leaf for leaf in expected.outputs}
    found: list[Evidence] = []
    for leaf in actual.outputs:
        spread, other = noise.leaves.get(leaf.path), lifted.get(leaf.path)
        if leaf.format is None or spread is None or other is None or other.shape != leaf.shape:
            continue
        before = residual_of(native["actual"][leaf.path].float64(), spread, reference=native["expected"][leaf.path].float64())
        if before.rms:
            peers = native["expected"][leaf.path].float64()
            with np.errstate(invalid="ignore"):
                differences = leaf.float64() - other.float64(), native["actual"][leaf.path].float64() - peers
            step = FLOAT32.unit_roundoff * np.abs(other.float64())
            jumps = _jumps_elsewhere(case, differences, spread, step, FLOAT32)
            found.append(_lowered_output(leaf, other, spread, noise.count, before, mixes=mixes, jumps=jumps))
    if not found:
        return _unavailable("no output that differs is a floating-point tensor")
    return min(found, key=lambda evidence: (LOWERED.index(evidence.finding), -float(evidence.measured.get("excess_in_float32") or 0.0)))  # type: ignore[arg-type]


LOWERED = (F.STAYS, F.UNAVAILABLE, F.GROWS_IN_FLOAT32, F.AGREES_IN_FLOAT32)
"""What `_lowered` finds of an output; of several outputs the first of these is reported: one that stays is another formula."""


def _lowered_output(
    leaf: Leaf, other: Leaf, spread: LeafNoise, samples: int, before: Residual, *, mixes: bool, jumps: np.ndarray
) -> Evidence:
    """Of one output: both sides in float32, and how far apart they are in float64; elements that jump in float32 tell nothing."""
    apart = residual_of(np.where(jumps, other.float64(), leaf.float64()), spread, reference=other.float64())
    if apart.count < before.count:
        return _unavailable("in float32 the results overflow")
    magnitude = residual_of(leaf.float64(), spread, reference=np.zeros_like(spread.reference)).rms
    if residual_of(spread.spread, spread, reference=np.zeros_like(spread.reference)).rms > limits.ILL_CONDITIONED * magnitude:
        return _unavailable("in float32 rounding leaves too little of the result to tell")
    size = apart.excess(samples).of_limit
    if size > BOTH_HONEST and mixes:
        # A fast product is small in norm only; its loss in float32 counts like that in float64.
        in_norm = max(apart.norm_in_noise, apart.max_norm_in_noise / max_limit(samples, apart.count))
        size = min(size, BOTH_HONEST * in_norm / limits.FAST_PRODUCT_LOSS)
    measured: dict[str, Measured] = {"excess_in_float32": size}
    if size <= BOTH_HONEST:
        return Evidence("scaling", F.AGREES_IN_FLOAT32, measured=measured, path=leaf.path)
    grows = measured["grows_to_float32"] = math.log2(apart.rms / before.rms)
    is_drowned = apart.rms > limits.ILL_CONDITIONED * apart.reference_rms
    if grows <= NEAR_BITS:
        return Evidence("scaling", F.STAYS, measured=measured, path=leaf.path)
    if grows >= LOWER_BITS - NEAR_BITS and not is_drowned:
        return Evidence("scaling", F.GROWS_IN_FLOAT32, measured=measured, path=leaf.path)
    why = f"the difference grows by 2^{grows:.0f} from float64 to float32, neither as rounding does (2^29) nor as that of another formula"
    return _unavailable("in float32 the two differ by as much as their results are large" if is_drowned else why, **measured)


LOWER_BITS = 53 - 24
"""What float64 has more than float32: rounding errors, those of an algorithm that loses digits too, grow by 2**29 from one to the other."""
COARSER_BITS = 24 - 8
"""What float32 has more than bfloat16: rounding errors grow by 2**16 from one to the other."""
NEAR_BITS = 4.0
"""Orders and libraries make honest errors up to a factor 16 apart (0.1 to 1.5 of the noise)."""
FAR_BITS = 8.0
"""An error of 2**8 times the noise is told from rounding with NEAR_BITS to spare on both sides: its growth falls short by as much."""


def _coarsened(case: Case, noise: Noise) -> Evidence | None:
    """For a float32 case that refuses float64: does the error of `actual` grow as rounding does when it is run in bfloat16?

    Returns:
        None where that tells nothing: another format is declared, `actual` refuses bfloat16 as well, the result drowns in its rounding, or
        the error is too small to tell.
    """
    coarse = case.run("actual", Variant(Precision.BFLOAT16))
    if case.declared.name != "float32" or isinstance(coarse, Unavailable):
        return None
    others = {leaf.path: leaf for leaf in coarse.outputs}
    for leaf in case.native("actual").outputs:
        spread, other = noise.leaves.get(leaf.path), others.get(leaf.path)
        if leaf.format is None or spread is None or other is None or other.shape != leaf.shape:
            continue
        native = residual_of(leaf.float64(), spread)
        there = residual_of(other.float64(), spread)
        if native.excess(noise.count).of_limit <= 1.0 or not there.rms or there.rms > limits.ILL_CONDITIONED * there.reference_rms:
            continue
        grows = math.log2(there.rms / native.rms)
        beyond = math.log2(max(native.norm_in_noise, 1.0))
        measured: dict[str, Measured] = {"native_rms": native.rms, "bfloat16_rms": there.rms, "grows_bits": grows, "beyond_bits": beyond}
        if grows >= COARSER_BITS - NEAR_BITS:
            return Evidence("scaling", F.GROWS_IN_BFLOAT16, measured=measured, path=leaf.path)
        if beyond >= FAR_BITS and grows <= COARSER_BITS - beyond + NEAR_BITS:
            return Evidence("scaling", F.STAYS_IN_BFLOAT16, measured=measured, path=leaf.path)
    return None
