"""Where float64 is no help: both sides in float32 for a float64 case, or `actual` in bfloat16 for a side that refuses float64."""

from __future__ import annotations

import math

import numpy as np

from ...cases import Case, Precision, Unavailable, Variant
from ...differences import Leaf
from ...differences.allowance import max_limit
from ...floats import FLOAT32
from ...noise import LeafNoise, Noise, Residual, noise_of, residual_of, uses_transforms
from .. import limits
from .evidence import Evidence, Measured
from .finding import Finding
from .remainders import BOTH_HONEST, jumps_elsewhere

F = Finding


def unavailable(reason: str, **measured: Measured) -> Evidence:
    """That another precision says nothing, and why."""
    return Evidence("scaling", F.UNAVAILABLE, measured={"why": reason, **measured})


def lowered(case: Case) -> Evidence:
    """For a float64 case: run in float32, do both sides agree within its rounding, or does their difference grow as rounding does?"""
    actual, expected = (case.run(name, Variant(Precision.FLOAT32)) for name in ("actual", "expected"))
    if isinstance(actual, Unavailable):
        return unavailable(actual.reason)
    if isinstance(expected, Unavailable):
        return unavailable(expected.reason)
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
            jumps = jumps_elsewhere(case, differences, spread, step, FLOAT32)
            found.append(_lowered_output(leaf, other, spread, noise.count, before, mixes=mixes, jumps=jumps))
    if not found:
        return unavailable("no output that differs is a floating-point tensor")
    return min(found, key=lambda evidence: (LOWERED.index(evidence.finding), -float(evidence.measured.get("excess_in_float32") or 0.0)))  # type: ignore[arg-type]


LOWERED = (F.STAYS, F.UNAVAILABLE, F.GROWS_IN_FLOAT32, F.AGREES_IN_FLOAT32)
"""What `_lowered` finds of an output; of several outputs the first of these is reported: one that stays is another formula."""


def _lowered_output(
    leaf: Leaf, other: Leaf, spread: LeafNoise, samples: int, before: Residual, *, mixes: bool, jumps: np.ndarray
) -> Evidence:
    """Of one output: both sides in float32, and how far apart they are in float64; elements that jump in float32 tell nothing."""
    apart = residual_of(np.where(jumps, other.float64(), leaf.float64()), spread, reference=other.float64())
    if apart.count < before.count:
        return unavailable("in float32 the results overflow")
    magnitude = residual_of(leaf.float64(), spread, reference=np.zeros_like(spread.reference)).rms
    if residual_of(spread.spread, spread, reference=np.zeros_like(spread.reference)).rms > limits.ILL_CONDITIONED * magnitude:
        return unavailable("in float32 rounding leaves too little of the result to tell")
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
    factor = f"a factor of 2^{grows:.0f} from float64 to float32"
    why = f"the difference grows by {factor}, which fits neither rounding (2^29) nor a different formula"
    return unavailable("in float32 the difference between the two is as large as the results themselves" if is_drowned else why, **measured)


LOWER_BITS = 53 - 24
"""What float64 has more than float32: rounding errors, those of an algorithm that loses digits too, grow by 2**29 from one to the other."""
COARSER_BITS = 24 - 8
"""What float32 has more than bfloat16: rounding errors grow by 2**16 from one to the other."""
NEAR_BITS = 4.0
"""Orders and libraries make honest errors up to a factor 16 apart (0.1 to 1.5 of the noise)."""
FAR_BITS = 8.0
"""An error of 2**8 times the noise is told from rounding with NEAR_BITS to spare on both sides: its growth falls short by as much."""


def coarsened(case: Case, noise: Noise) -> Evidence | None:
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
