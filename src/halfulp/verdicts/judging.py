"""The one place that combines evidence into a verdict.

Read `decide` from top to bottom: it is the argument in the order in which it is made. It looks at findings and at a few
stored numbers, never at tensors, so a stored result can be judged again.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from . import limits
from .evidence.evidence import Evidence
from .evidence.measured import measured_excess
from .verdict import Verdict

V = Verdict
PROOFS = ("integers", "impulses", "powers", "permutations", "kernel")
"""Evidence in which rounding cannot cause a difference: exact arithmetic by construction, a symmetry that `expected` has, or an op that
does not compute its own formula."""
ONE_OP = "op"
"""The `reference` of noise that was measured on one op and the numbers that it really got (`locate`)."""
WEAK = ("agrees in float32", "grows in float32", "grows in bfloat16", "stays in bfloat16")
"""Findings of `scaling` in a coarser format, where float64 is declared or refused."""
CONFIRMING = ("vanishes", "constants", "agrees in float32", "grows in float32")
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
        >>> judge([Evidence("bits", "same")]).name
        'IDENTICAL'
    """
    return decide(evidence).verdict


def decide(evidence: Iterable[Evidence]) -> Decision:
    """The verdict, and which evidence decided it."""
    by_kind = {each.kind: each for each in evidence}
    if _finding(by_kind, "search") == "changed":
        return Decision(V[str(by_kind["search"].measured["verdict"])], ("search",))
    early = _before_numbers(by_kind)
    if early is not None:
        return early
    noise = by_kind.get("noise")
    decision = _within(by_kind, noise) if noise is None or noise.finding == "within" else _beyond(by_kind, noise)
    if decision.verdict in OVERRULED_BY_BITS and _finding(by_kind, "families") == "reproduced":
        return Decision(V.ROUNDING, ("families",))
    return decision


def _finding(by_kind: Mapping[str, Evidence], kind: str) -> str | None:
    return by_kind[kind].finding if kind in by_kind else None


def _before_numbers(by_kind: Mapping[str, Evidence]) -> Decision | None:
    """What is decided before any error is measured."""
    if _finding(by_kind, "repetition") in ("beyond rounding", "fails", "unwritten memory"):
        return Decision(V.NONDETERMINISTIC, ("repetition",))
    if _finding(by_kind, "structure") == "differs":
        return Decision(V.MISTAKE, ("structure",))
    if _finding(by_kind, "specials") == "differ":
        return Decision(V.MISTAKE, ("specials",))
    if _finding(by_kind, "specials") == "all NaN":
        return Decision(V.UNDECIDED, ("specials",))
    if _finding(by_kind, "bits") == "same":
        return Decision(V.IDENTICAL, ("bits",))
    return None


def _within(by_kind: Mapping[str, Evidence], noise: Evidence | None) -> Decision:
    """All floating-point outputs are where rounding may put them."""
    unequal_integers = int(by_kind["bits"].measured.get("unequal_integers") or 0) if "bits" in by_kind else 0  # type: ignore[arg-type]
    if unequal_integers:
        if _finding(by_kind, "flips") == "jumps" and _finding(by_kind, "scaling") != "stays":
            return Decision(V.FLIP, ("flips",))
        return Decision(V.MISTAKE, ("integer_outputs", "flips") if "flips" in by_kind else ("integer_outputs",))
    if noise is None:
        return Decision(V.UNDECIDED, ())
    for kind in ("powers", "permutations"):
        if _finding(by_kind, kind) == "differ":
            return Decision(V.MISTAKE, (kind, "noise"))
    scaling = _finding(by_kind, "scaling")
    if scaling == "stays":
        if _finding(by_kind, "casts") == "explain":
            return Decision(V.REDUCED_PRECISION, ("casts", "noise"))
        return Decision(V.MISTAKE, ("scaling", "noise"))
    if scaling in (None, "unavailable", "agrees in float32") and _finding(by_kind, "redraw") == "systematic":
        return Decision(V.MISTAKE, ("redraw", "noise"))
    if scaling == "unavailable" and _finding(by_kind, "patterns") == "patterned":
        return Decision(V.MISTAKE, ("patterns", "noise"))
    confirmed = scaling in CONFIRMING or _finding(by_kind, "redraw") == "random"
    # A gradient that is zero but for rounding (the bias of attention's keys) says nothing; the other outputs do.
    share = noise.measured.get("least_noise_rel_rms")
    if not confirmed and isinstance(share, float) and share > limits.ILL_CONDITIONED:
        return Decision(V.UNDECIDED, ("noise",))
    return Decision(V.ROUNDING, ("noise", "scaling") if scaling in CONFIRMING else ("noise",))


def _beyond(by_kind: Mapping[str, Evidence], noise: Evidence) -> Decision:
    """Some output is off by more than rounding in the declared precision."""
    if _finding(by_kind, "neighbors") == "within":
        return Decision(V.ROUNDING, ("neighbors", "noise"))
    formula_is_right = formula(by_kind)
    if noise.measured.get("reference") == "reference" and _number(noise, "expected_excess") > limits.TOLERABLE_LOSS:
        return Decision(V.UNDECIDED, ("reference", "noise"))
    if _finding(by_kind, "flips") == "jumps" and formula_is_right is not False:
        return Decision(V.FLIP, ("flips", "noise"))
    if _is_of_coarser_format(by_kind, formula_is_right):
        return Decision(V.REDUCED_PRECISION, ("casts" if _finding(by_kind, "casts") == "explain" else "precision", "noise"))
    told_by = tuple(kind for kind in (*PROOFS, "scaling", "redraw", "wide_redraw") if _speaks(by_kind, kind) is formula_is_right)[:1]
    if formula_is_right is False and _approximates(noise, told_by):
        return Decision(V.UNSTABLE, ("loss", "noise"))
    if formula_is_right is False:
        return Decision(V.MISTAKE, (*told_by, "noise"))
    if noise.measured.get("reference") == ONE_OP:
        return _beyond_in_one_op(by_kind, noise, formula_is_right)
    if formula_is_right is None:
        return Decision(V.MISTAKE if _has_no_digit_right(noise) else V.UNDECIDED, ("noise",))
    if loss_is_tolerable(by_kind):
        return Decision(V.ROUNDING, ("loss", *told_by, "noise"))
    if _finding(by_kind, "precision") == "same size" and not _loses_in_float64(by_kind):
        return Decision(V.REDUCED_PRECISION, ("precision", *told_by, "noise"))
    if noise.measured.get("method") == "inputs" and _worst_excess(noise) <= limits.TOLERABLE_LOSS * math.sqrt(_number(noise, "terms")):
        return Decision(V.UNDECIDED, ("noise",))
    return Decision(V.UNSTABLE, ("loss", *told_by, "noise"))


def _has_no_digit_right(noise: Evidence) -> bool:
    """Whether less than one digit is right, and no acceptable loss goes so far beyond rounding: whatever made it is another function."""
    error, terms = noise.measured.get("rel_rms"), noise.measured.get("terms") or 1
    acceptable = max(limits.FAST_PRODUCT_LOSS, limits.TOLERABLE_LOSS * math.sqrt(terms))  # type: ignore[arg-type]
    return isinstance(error, float) and error > limits.ILL_CONDITIONED and _worst_excess(noise) > acceptable


def _is_of_coarser_format(by_kind: Mapping[str, Evidence], formula_is_right: bool | None) -> bool:
    """Whether a format that is coarser than declared made the error: casts that were taken out, or a rounding that reproduces it.

    Element by element is proof enough. A correlation or a size is not where something proves the formula wrong, or where float64 loses as
    much.
    """
    if _finding(by_kind, "casts") == "explain":
        return True
    found, loses = _finding(by_kind, "precision"), _loses_in_float64(by_kind)
    if found == "reproduced":
        return not (formula_is_right and loses)
    if found == "correlates":
        return not loses and not any(_speaks(by_kind, kind) is False for kind in PROOFS)
    return _is_of_coarser_numbers(by_kind) and _speaks(by_kind, "integers") is not False and not loses


def _beyond_in_one_op(by_kind: Mapping[str, Evidence], noise: Evidence, formula_is_right: bool | None) -> Decision:
    """One op is off by more than its rounding, on the numbers that it really got, and nothing says that its formula is wrong.

    Its inputs are known exactly: no conditioning and no jump of an earlier op is in the way, so what is left unexplained is its own.
    """
    if loss_is_tolerable(by_kind):
        return Decision(V.ROUNDING, ("loss", "noise"))
    if _finding(by_kind, "backward_error") == "within the proved bound":
        return Decision(V.ROUNDING, ("backward_error", "noise"))
    if formula_is_right is None:
        return Decision(V.MISTAKE, ("noise",))
    if _number(noise, "norm_in_noise") <= _number(noise, "rms_limit"):
        return Decision(V.ROUNDING, ("norm", "noise"))
    if _finding(by_kind, "loosened") == "within":
        return Decision(V.ROUNDING, ("loosened", "noise"))
    return Decision(V.UNSTABLE, ("loss", "noise"))


def _approximates(noise: Evidence, told_by: tuple[str, ...]) -> bool:
    """Whether a function of each element errs by no more than rounding does in norm.

    So does a table or polynomial that is exact in absolute terms alone, and keeps fewer digits where the result is small (the error
    function near zero, a sigmoid far to the left).

    Nothing but `redraw` may say that the formula is another one: an approximation's error is a function of the inputs too.
    """
    in_norm = _number(noise, "norm_in_noise") <= _number(noise, "rms_limit") and _number(noise, "max_norm_in_noise") <= _number(
        noise, "max_limit"
    )
    return told_by == ("redraw",) and in_norm and noise.measured.get("elementwise") is True


def _is_of_coarser_numbers(by_kind: Mapping[str, Evidence]) -> bool:
    """Whether every result is a number of a coarser format (expected's are not) and the error is what that format makes."""
    precision = by_kind.get("precision")
    return (
        precision is not None
        and precision.finding == "same size"
        and precision.measured.get("format") == precision.measured.get("representable")
    )


def _worst_excess(noise: Evidence) -> float:
    return measured_excess(noise).of_limit


def _speaks(by_kind: Mapping[str, Evidence], kind: str) -> bool | None:
    """What one kind of evidence says about the formula: right, wrong, or nothing."""
    says: dict[str, dict[str, bool]] = {
        "scaling": {
            "vanishes": True,
            "constants": True,
            "stays": False,
            "agrees in float32": True,
            "grows in float32": True,
            "grows in bfloat16": True,
            "stays in bfloat16": False,
        },
        "integers": {"exact": True, "nearly exact": True, "differ": False},
        "impulses": {"differ": False},
        "kernel": {"differs": False},
        "powers": {"differ": False},
        "permutations": {"differ": False},
        "redraw": {"random": True, "systematic": False},
        "wide_redraw": {"random": True},
    }
    return says[kind].get(_finding(by_kind, kind) or "")


def formula(by_kind: Mapping[str, Evidence]) -> bool | None:
    """Whether both sides compute the same function in exact arithmetic; None when nothing tells.

    A difference where no rounding can be is a proof of a different function whatever else is seen; the others are asked in the order
    of how sharp they are.
    """
    if any(_speaks(by_kind, kind) is False for kind in PROOFS):
        return False
    # What a coarser format shows says nothing about what is smaller than its rounding: it is asked last.
    weak = _finding(by_kind, "scaling") in WEAK
    for kind in ("redraw", "integers", "scaling") if weak else ("scaling", "redraw", "integers"):
        said = _speaks(by_kind, kind)
        if kind == "redraw" and said is False and _finding(by_kind, "wide_redraw") == "random":
            said = True  # it stayed because the inputs moved less than a coarser format notices
        if said is not None:
            return said
    return None


def loss_is_tolerable(by_kind: Mapping[str, Evidence]) -> bool:
    """Whether an error beyond rounding's usual size is still that of a respectable algorithm for the same formula.

    Fast products (Winograd, FFT, Strassen) are judged in norm, which is all that their bounds promise; anything else elementwise.
    """
    noise = by_kind["noise"]
    if _worst_excess(noise) <= limits.TOLERABLE_LOSS:  # a fast product would lose as much in float64, no more
        return _float64_loss(by_kind) <= limits.TOLERABLE_LOSS * _number(noise, "rms_limit")
    if _finding(by_kind, "fast_products") == "explain":
        return True
    norm, largest_norm = _number(noise, "norm_in_noise"), _number(noise, "max_norm_in_noise")
    in_norm = norm <= limits.FAST_PRODUCT_LOSS and largest_norm <= limits.FAST_PRODUCT_LOSS * _number(noise, "max_limit")
    return bool(noise.measured.get("transforms")) and in_norm


def _loses_in_float64(by_kind: Mapping[str, Evidence]) -> bool:
    """Whether the same loss is seen in float64: then the algorithm loses digits, not the format it is computed in."""
    return _float64_loss(by_kind) > limits.TOLERABLE_LOSS


def _float64_loss(by_kind: Mapping[str, Evidence]) -> float:
    """The difference of both sides in float64, in units of the noise that float64 has; 0.0 where it was not measured.

    An algorithm that squares a condition number (normal equations) loses more digits the more there are: a loss that float32 hides
    within what is tolerable shows here. Honest reformulations lose at most 1.9 limits, least squares by normal equations 6.8 and 104.
    """
    scaling = by_kind.get("scaling")
    loss = scaling.measured.get("loss_in_float64") if scaling is not None else None
    return loss if isinstance(loss, float) else 0.0


def _number(evidence: Evidence, name: str) -> float:
    value = evidence.measured.get(name)
    return float(value) if isinstance(value, (int, float)) else float("inf")
