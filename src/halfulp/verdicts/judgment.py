"""The one place that combines evidence into a verdict.

Read `decide` from top to bottom: it is the argument in the order in which it is made. It looks at findings and at a few
stored numbers, never at tensors, so a stored result can be judged again.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from ..floats import FLOAT32, FORMATS
from . import limits
from .evidence.evidence import Evidence, Found, MissingNumber
from .evidence.finding import Finding
from .evidence.measured import measured_excess
from .verdict import Verdict

V, F = Verdict, Finding
PROOFS = ("integers", "impulses", "powers", "permutations", "kernel")
"""Evidence in which rounding cannot cause a difference: exact arithmetic by construction, a symmetry that `expected` has, or an op that
does not compute its own formula."""
ONE_OP = "op"
"""The `reference` of noise that was measured on one op and the numbers that it really got (`locate`)."""
WEAK = (F.AGREES_IN_FLOAT32, F.GROWS_IN_FLOAT32, F.GROWS_IN_BFLOAT16, F.STAYS_IN_BFLOAT16)
"""Findings of `scaling` in a coarser format, where float64 is declared or refused."""
CONFIRMING = (F.VANISHES, F.CONSTANTS, F.LOST_IN_FLOAT64, F.APPROXIMATES, F.AGREES_IN_FLOAT32, F.GROWS_IN_FLOAT32)
"""Findings of `scaling` that rounding makes and another formula doesn't."""

OVERRULED_BY_BITS = (V.MISTAKE, V.REDUCED_PRECISION, V.UNDECIDED)
"""What can't be where adding the same terms in another order, in the declared precision, gives `actual` in every bit. An order may be
UNSTABLE."""


@dataclass(frozen=True)
class Decision:
    """A verdict and the kinds of evidence that decided it, most decisive first."""

    verdict: Verdict
    because: tuple[str, ...]


def judge(evidence: Iterable[Evidence]) -> Verdict:
    """The verdict that follows from the evidence.

    Args:
        evidence: what `check` gathered, fresh or read back from JSON (`CheckResult.from_json(text).evidence`).

    Returns:
        One of the eight verdicts; UNDECIDED when the evidence is missing or conflicts.

    Example:
        >>> judge([Evidence("bits", Finding.SAME)]).name
        'IDENTICAL'
    """
    return decide(evidence).verdict


def decide(evidence: Iterable[Evidence]) -> Decision:
    """The verdict, and which evidence decided it."""
    found = Found(evidence)
    decision = _decided(found)
    if decision.verdict.acceptable and found.has("vacuous", F.REFUSED):
        return Decision(V.UNDECIDED, ("vacuous",))
    return decision


def _decided(found: Found) -> Decision:
    if found.has("inside", F.BEYOND):
        return Decision(V[str(found["inside"].measured["verdict"])], ("inside", "noise"))
    if found.has("search", F.CHANGED):
        return Decision(V[str(found["search"].measured["verdict"])], ("search",))
    early = _before_numbers(found)
    if early is not None:
        return early
    try:
        decision = _beyond(found, found["noise"]) if found.has("noise", F.BEYOND) else _within(found, found.get("noise"))
    except MissingNumber as missing:  # of a stored result: what it lacks decides nothing
        return Decision(V.UNDECIDED, (missing.kind,))
    if decision.verdict in OVERRULED_BY_BITS and found.has("families", F.REPRODUCED):
        return Decision(V.ROUNDING, ("families",))
    return decision


def _before_numbers(found: Found) -> Decision | None:
    """What is decided before any error is measured."""
    if found.has("repetition", F.BEYOND_ROUNDING, F.FAILS, F.UNWRITTEN_MEMORY):
        return Decision(V.NONDETERMINISTIC, ("repetition",))
    if found.has("structure", F.DIFFERS):
        return Decision(V.MISTAKE, ("structure",))
    if found.has("overflow", F.LEAVES_THE_RANGE):
        return Decision(V.UNSTABLE, ("overflow", "specials"))
    if found.has("specials", F.DIFFER) and not found.has("overflow", F.EXPECTED):
        return Decision(V.MISTAKE, ("specials",))
    if found.has("specials", F.ALL_NAN):
        return Decision(V.UNDECIDED, ("specials",))
    if found.has("bits", F.SAME):
        return Decision(V.IDENTICAL, ("bits",))
    return None


def _within(found: Found, noise: Evidence | None) -> Decision:
    """All floating-point outputs are where rounding may put them."""
    unequal_integers = int(found["bits"].measured.get("unequal_integers") or 0) if "bits" in found else 0  # type: ignore[arg-type]
    if unequal_integers:
        if found.has("flips", F.JUMPS) and not found.has("scaling", F.STAYS):
            return Decision(V.FLIP, ("flips",))
        if found.has("casts", F.EXPLAIN):
            return Decision(V.REDUCED_PRECISION, ("casts", "integer_outputs"))
        return Decision(V.MISTAKE, ("integer_outputs", "flips") if "flips" in found else ("integer_outputs",))
    if noise is None:
        return Decision(V.UNDECIDED, ())
    for kind in ("powers", "permutations"):
        if found.has(kind, F.DIFFER):
            return Decision(V.MISTAKE, (kind, "noise"))
    if found.has("casts", F.EXPLAIN):
        return Decision(V.REDUCED_PRECISION, ("casts", "noise"))
    if found.has("scaling", F.STAYS) and not found.has("casts", F.LOSE_NOTHING):
        return Decision(V.MISTAKE, ("scaling", "noise"))
    scaling_is_mute = "scaling" not in found or found.has("scaling", F.UNAVAILABLE, F.AGREES_IN_FLOAT32)
    if scaling_is_mute and found.has("redraw", F.SYSTEMATIC):
        return Decision(V.MISTAKE, ("redraw", "noise"))
    if found.has("scaling", F.UNAVAILABLE) and found.has("patterns", F.PATTERNED):
        # Whether it stays when the inputs move can't be seen of a stored result, and chance draws a pattern now and then.
        return Decision(V.UNDECIDED if "stored" in found else V.MISTAKE, ("patterns", "noise"))
    vanishes = found.has("scaling", *CONFIRMING)
    lost = _loses_within(found)
    if lost is not None:
        return lost
    # A gradient that is zero but for rounding (the bias of attention's keys) says nothing; the other outputs do.
    share = noise.measured.get("least_noise_rel_rms")
    if not (vanishes or found.has("redraw", F.RANDOM)) and isinstance(share, float) and share > limits.ILL_CONDITIONED:
        return Decision(V.UNDECIDED, ("noise",))
    return Decision(V.ROUNDING, ("noise", "scaling") if vanishes else ("noise",))


def _loses_within(found: Found) -> Decision | None:
    """Errors that are each within the noise, and are no rounding together, or where the noise is no measure."""
    if found.has("gain", F.LEANS):
        if "stored" in found and formula(found) is None:  # an accumulator that cuts off leans as well as another formula does
            return Decision(V.UNDECIDED, ("gain", "noise"))
        return Decision(V.UNSTABLE if formula(found) else V.MISTAKE, ("gain", "noise"))
    return Decision(V.UNSTABLE, ("forward_error", "noise")) if found.has("forward_error", F.BEYOND) else None


def _beyond(found: Found, noise: Evidence) -> Decision:
    """Some output is off by more than rounding in the declared precision."""
    if found.has("neighbors", F.WITHIN):
        return Decision(V.ROUNDING, ("neighbors", "noise"))
    formula_is_right = formula(found)
    if formula_is_right and found.has("backward_error", F.WITHIN):
        return Decision(V.ROUNDING, ("backward_error", "noise"))
    lost_by_expected = noise.measured.get("expected_excess")
    if noise.measured.get("reference") == "reference" and not (
        isinstance(lost_by_expected, float) and lost_by_expected <= limits.TOLERABLE_LOSS
    ):
        return Decision(V.UNDECIDED, ("reference", "noise"))
    if found.has("flips", F.JUMPS) and formula_is_right is not False:
        return Decision(V.FLIP, ("flips", "noise"))
    if _is_of_coarser_format(found, formula_is_right):
        return Decision(V.REDUCED_PRECISION, ("casts" if found.has("casts", F.EXPLAIN) else "precision", "noise"))
    told_by = tuple(kind for kind in (*PROOFS, "scaling", "redraw", "wide_redraw") if found.says(kind) is formula_is_right)[:1]
    if formula_is_right is False and _approximates(noise, told_by):
        return Decision(V.UNSTABLE, ("loss", "noise"))
    if formula_is_right is False:
        return Decision(V.MISTAKE, (*told_by, "noise"))
    if noise.measured.get("reference") == ONE_OP:
        return _beyond_in_one_op(found, noise, formula_is_right)
    if formula_is_right is None:
        return Decision(V.MISTAKE if _has_no_digit_right(noise) else V.UNDECIDED, ("noise",))
    return _beyond_with_the_right_formula(found, noise, told_by)


def _beyond_with_the_right_formula(found: Found, noise: Evidence, told_by: tuple[str, ...]) -> Decision:
    """Digits are lost: by a respectable algorithm, by an unstable one, or by a coarser format."""
    if loss_is_tolerable(found) and found.has("gain", F.LEANS):
        is_coarse = found.has("precision", F.SAME_SIZE) and not found.has("own_noise", F.WITHIN)
        return Decision(V.REDUCED_PRECISION if is_coarse else V.UNSTABLE, ("precision" if is_coarse else "gain", *told_by, "noise"))
    if loss_is_tolerable(found) and found.has("forward_error", F.BEYOND):
        return Decision(V.UNSTABLE, ("forward_error", *told_by, "noise"))
    if loss_is_tolerable(found):
        return Decision(V.ROUNDING, ("loss", *told_by, "noise"))
    if _loses_other_digits(found):
        return Decision(V.ROUNDING, ("conditioning", *told_by, "noise"))
    if found.has("precision", F.SAME_SIZE) and not _loses_in_float64(found) and not found.has("own_noise", F.WITHIN):
        return Decision(V.REDUCED_PRECISION, ("precision", *told_by, "noise"))
    if noise.measured.get("method") == "inputs" and _worst_excess(noise) <= limits.TOLERABLE_LOSS * _growth_of_a_chain(noise):
        return Decision(V.UNDECIDED, ("noise",))
    return Decision(V.UNSTABLE, ("loss", *told_by, "noise"))


def _growth_of_a_chain(noise: Evidence) -> float:
    """How many roundings a plain chain of additions is worth; sums of 16-bit numbers are accumulated in float32."""
    declared = FORMATS.get(str(noise.measured.get("declared")), FLOAT32)
    bits = min(0, declared.precision_bits - FLOAT32.precision_bits)
    return max(1.0, math.sqrt(noise.number("terms")) * 2.0**bits)


def _loses_other_digits(found: Found) -> bool:
    """Whether the error is small over all, and nowhere larger than what rounding the inputs causes together with the ops."""
    noise = found["noise"]
    return found.has("conditioning", F.WITHIN) and found["conditioning"].number("norm_in_noise") <= noise.number("rms_limit")


def _has_no_digit_right(noise: Evidence) -> bool:
    """Whether less than one digit is right, and no acceptable loss goes so far beyond rounding: whatever made it is another function."""
    error, terms = noise.measured.get("rel_rms"), noise.measured.get("terms") or 1
    acceptable = max(limits.FAST_PRODUCT_LOSS, limits.TOLERABLE_LOSS * math.sqrt(terms))  # type: ignore[arg-type]
    return isinstance(error, float) and error > limits.ILL_CONDITIONED and _worst_excess(noise) > acceptable


def _is_of_coarser_format(found: Found, formula_is_right: bool | None) -> bool:
    """Whether a format that is coarser than declared made the error: casts that were taken out, or a rounding that reproduces it.

    Element by element is proof enough. A correlation or a size is not where something proves the formula wrong, or where float64 loses as
    much.
    """
    if found.has("casts", F.EXPLAIN):
        return True
    loses = _loses_in_float64(found)
    if found.has("precision", F.REPRODUCED):
        return not (formula_is_right and loses)
    is_disproved = any(found.says(kind) is False for kind in PROOFS)
    if "precision" in found and found["precision"].measured.get("seen"):
        return not is_disproved  # what rounds inside, in float64 too, loses as much there
    if found.has("precision", F.CORRELATES):
        return not loses and not is_disproved
    return _is_of_coarser_numbers(found) and found.says("integers") is not False and not loses


def _beyond_in_one_op(found: Found, noise: Evidence, formula_is_right: bool | None) -> Decision:
    """One op is off by more than its rounding, on the numbers that it really got, and nothing says that its formula is wrong.

    Its inputs are known exactly: no conditioning and no jump of an earlier op is in the way, so what is left unexplained is its own.
    """
    if loss_is_tolerable(found):
        return Decision(V.ROUNDING, ("loss", "noise"))
    if found.has("backward_error", F.WITHIN_PROVED_BOUND):
        return Decision(V.ROUNDING, ("backward_error", "noise"))
    if formula_is_right is None:
        return Decision(V.MISTAKE, ("noise",))
    if noise.number("norm_in_noise") <= noise.number("rms_limit"):
        return Decision(V.ROUNDING, ("norm", "noise"))
    if found.has("loosened", F.WITHIN):
        return Decision(V.ROUNDING, ("loosened", "noise"))
    return Decision(V.UNSTABLE, ("loss", "noise"))


def _approximates(noise: Evidence, told_by: tuple[str, ...]) -> bool:
    """Whether a function of each element errs by no more than rounding does in norm.

    So does a table or polynomial that is exact in absolute terms alone, and keeps fewer digits where the result is small (the error
    function near zero, a sigmoid far to the left).

    Nothing but `redraw` may say that the formula is another one: an approximation's error is a function of the inputs too.
    """
    if told_by != ("redraw",) or noise.measured.get("elementwise") is not True:
        return False
    return noise.number("norm_in_noise") <= noise.number("rms_limit") and noise.number("max_norm_in_noise") <= noise.number("max_limit")


def _is_of_coarser_numbers(found: Found) -> bool:
    """Whether every result is a number of a coarser format (expected's are not) and the error is what that format makes."""
    if not found.has("precision", F.SAME_SIZE):
        return False
    precision = found["precision"].measured
    return precision.get("format") == precision.get("representable")


def _worst_excess(noise: Evidence) -> float:
    return measured_excess(noise).of_limit


def formula(found: Found) -> bool | None:
    """Whether both sides compute the same function in exact arithmetic; None when nothing tells.

    A difference where no rounding can be is a proof of a different function whatever else is seen; the others are asked in the order
    of how sharp they are.
    """
    if any(found.says(kind) is False for kind in PROOFS):
        return False
    # What a coarser format shows says nothing about what is smaller than its rounding: it is asked last.
    weak = found.has("scaling", *WEAK)
    for kind in ("redraw", "integers", "scaling") if weak else ("scaling", "redraw", "integers"):
        said = found.says(kind)
        if kind == "redraw" and said is False and found.has("wide_redraw", F.RANDOM):
            said = True  # it stayed because the inputs moved less than a coarser format notices
        if said is not None:
            return said
    return None


def loss_is_tolerable(found: Found) -> bool:
    """Whether an error beyond rounding's usual size is still that of a respectable algorithm for the same formula.

    Fast products (Winograd, FFT, Strassen) are judged in norm, which is all that their bounds promise; anything else elementwise.
    """
    noise = found["noise"]
    is_small = _worst_excess(noise) <= limits.TOLERABLE_LOSS
    if is_small and _float64_loss(found) <= limits.TOLERABLE_LOSS * noise.number("rms_limit"):
        return True
    if not is_small and found.has("fast_products", F.EXPLAIN):  # which would lose as much in float64, no more
        return True
    norm, largest_norm = noise.number("norm_in_noise"), noise.number("max_norm_in_noise")
    in_norm = norm <= limits.FAST_PRODUCT_LOSS and largest_norm <= limits.FAST_PRODUCT_LOSS * noise.number("max_limit")
    return bool(noise.measured.get("transforms")) and in_norm


def _loses_in_float64(found: Found) -> bool:
    """Whether the same loss is seen in float64: then the algorithm loses digits, not the format it is computed in."""
    return _float64_loss(found) > limits.TOLERABLE_LOSS


def _float64_loss(found: Found) -> float:
    """The difference of both sides in float64, in units of the noise that float64 has; 0.0 where it was not measured.

    An algorithm that squares a condition number (normal equations) loses more digits the more there are: a loss that float32 hides
    within what is tolerable shows here. Honest reformulations lose at most 1.9 limits, least squares by normal equations 6.8 and 104.
    """
    scaling = found.get("scaling")
    loss = scaling.measured.get("loss_in_float64") if scaling is not None else None
    return loss if isinstance(loss, float) else 0.0
