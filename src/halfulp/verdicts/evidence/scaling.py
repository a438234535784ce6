"""Does the difference shrink when both sides get more bits? Rounding does, by about 2**29 from float32 to float64; a formula stays.

Where float64 itself is declared, both sides are run in float32 instead: equal formulas then agree within float32's rounding, or differ by
as many times more as rounding grows.
"""

from __future__ import annotations

import dataclasses
import math

import numpy as np

from ...cases import LIFTED, Case, Change, Inputs, Precision, Run, Unavailable, Variant
from ...floats import BFLOAT16, FLOAT64, Format, is_representable
from ...noise import (
    LeafNoise,
    Noise,
    noise_of_inputs,
    noise_of_side,
    residual_of,
)
from ...noise.approximation import approximation
from .. import limits
from .evidence import Evidence
from .finding import Finding
from .lowering import coarsened, lowered, unavailable
from .remainders import FAITHFUL, SAME_RULE, beyond_stored, is_approximation, is_drawn_anew, is_rounding_of_float64

F = Finding


def scaling(case: Case, noise: Noise, *, beyond: bool) -> Evidence:
    """The difference between the two sides in float64, against what it is in the declared precision.

    Args:
        case, noise: what is judged, and its noise.
        beyond: whether the error is beyond rounding; then the loss in float64 is measured too, on inputs with all bits in use.
    """
    if case.finest is Precision.NATIVE:
        return lowered(case)
    actual, expected = (case.run(name, LIFTED) for name in ("actual", "expected"))
    if isinstance(actual, Unavailable):
        return (coarsened(case, noise) if beyond else None) or unavailable(actual.reason)
    if isinstance(expected, Unavailable):
        return unavailable(expected.reason)
    jumped = _unequal_integers(case, actual, expected)
    if jumped:
        return Evidence("scaling", F.STAYS, measured={"unequal_integers_in_float64": jumped})
    evidence = _of_outputs(case, noise, actual, expected, beyond=beyond)
    elsewhere = case.lifted_elsewhere("actual") or case.lifted_elsewhere("expected")
    if beyond and elsewhere and evidence.finding in (F.VANISHES, F.CONSTANTS):
        return unavailable(
            f"{elsewhere} has no float64; the formulas agree on the CPU, but that says nothing about the kernels of {elsewhere}"
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
            return unavailable("`actual` returns a different shape in float64: it looks at the bits of its inputs")
        values = [side.float64() for side in (other, leaf, native[leaf.path])]
        trouble = _not_lifted(values[0], values[1], values[2], spread, case.storage)
        if trouble:
            return unavailable(trouble)
        remains = residual_of(values[0], spread, reference=values[1])
        native_rms = residual_of(values[2], spread).rms
        if _vanishes(values, spread):
            finding, worst_excess = F.VANISHES, 0.0
        else:
            worst_excess = beyond_stored(case, values, spread)
            finding = F.STAYS if worst_excess > 1.0 else F.CONSTANTS
            if finding == F.STAYS and is_rounding_of_float64(case, values, leaf.path):
                finding, worst_excess = F.LOST_IN_FLOAT64, 0.0
            elif finding == F.STAYS and is_approximation(case, values, spread):
                finding, worst_excess = F.APPROXIMATES, 0.0
            elif finding == F.STAYS and not beyond and is_drawn_anew(case, leaf.path, values[0] - values[1]):
                return unavailable(
                    "`actual` rounds internally, where a float64 run can't reach: the difference that remains changes when the inputs "
                    "are perturbed"
                )
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
                "approximated": list(case.remembered(approximation).names) if finding == F.APPROXIMATES else None,
                "overridden": list(dict.fromkeys([*actual.overridden, *expected.overridden])),
            },
            path=leaf.path,
        )
        if worst is None or worst_excess > float(worst.measured["excess_over_data_rounding"]):  # type: ignore[arg-type]
            worst = evidence
    return worst or unavailable("no output is a floating-point tensor")


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
        return "`actual` rounds to the declared precision internally, out of reach of a float64 run (NumPy or a compiled kernel)"
    if moved.rms_in_noise > max(1.0, FAITHFUL * error.rms_in_noise):
        return "`actual` computes something different on float64 inputs: it looks at the bits of its inputs"
    return ""
