"""A comparison as text: numbers, and why they are no verdict."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...words.numbers import counted, number, share, verb
from .tables import as_text, difference_table, worst_table

if TYPE_CHECKING:
    from rich.console import RenderableType

    from ...differences import Comparison
    from ...differences.difference import Mismatch, Tolerated


def comparison_text(comparison: Comparison, form: str = "full") -> str:
    """The answer; or structure, NaN and infinity, the metrics, the worst elements, errors against a reference."""
    if form == "answer":
        return _comparison_answer(comparison)
    parts: list[RenderableType] = [*structural_words(comparison)]
    if comparison.differences:
        parts.append(difference_table(comparison.differences))
    table = worst_table(comparison)
    if table is not None:
        parts += ["", table]
    parts += [*reference_words(comparison)]
    return as_text(*(parts or ["Nothing to compare."]), closing_words(comparison))


def _comparison_answer(comparison: Comparison) -> str:
    """How many elements differ and by how much, and what that means."""
    first = structural_words(comparison)[:1]
    if not first and comparison.unequal and comparison.tolerated is None:
        first = [
            f"{share(comparison.unequal, comparison.count)} {verb(comparison.unequal, 'differ')}, by up to {counted(comparison.max_ulps, 'ulp')} and {number(comparison.max_abs)} in "
            "absolute terms."
        ]
    return as_text(*first, closing_words(comparison))


def structural_words(comparison: Comparison) -> list[str]:
    """What no number can express."""
    words = [
        _mismatch_in_words(mismatch, is_structural=mismatch in comparison.structural)
        for mismatch in sorted(comparison.mismatches, key=lambda mismatch: mismatch not in comparison.structural)
    ]
    return words + [
        f"NaN or infinity on just one side, in {difference.path or 'the only tensor'}: {difference.special_mismatches:,} of {counted(difference.count, 'element')}"
        for difference in comparison
        if difference.special_mismatches
    ]


def _mismatch_in_words(mismatch: Mismatch, *, is_structural: bool) -> str:
    where = mismatch.path or "the only tensor"
    if not is_structural:
        return f"{where}: {mismatch.actual} against {mismatch.expected}, compared as numbers; ulps are those of the coarser format"
    if mismatch.kind in ("missing", "unexpected"):
        side, shape = ("actual", mismatch.expected) if mismatch.kind == "missing" else ("expected", mismatch.actual)
        return f"{where} ({shape}) is missing in {side}"
    return f"{mismatch.kind} at {where}: got {mismatch.actual}, expected {mismatch.expected}"


def reference_words(comparison: Comparison) -> list[str]:
    """Errors against a reference, one line a tensor."""
    return [
        f"{name}{' ' + error.path if error.path else ''} against the reference: {error.max_in_u:.3g} u at the worst element, {error.rms_in_u:.3g} u rms "
        f"(u = {error.unit_roundoff:.3g} for {error.declared}, scale: {error.scale})"
        for name, found in comparison.error_in_u.items()
        for error in found
    ]


def closing_words(comparison: Comparison) -> str:
    """What the numbers say, and what they can't."""
    if comparison.tolerated is not None and not comparison.structural:
        return _tolerated_in_words(comparison.tolerated)
    no_reference = (
        ""
        if comparison.error_in_u
        else " Or pass a float64 result as --reference (and, for a product of A and B, |A||B| as --scale) to get errors in units of u, half an ulp of 1."
    )
    return {
        0: "Every bit agrees." if not comparison.mismatches else "Every element agrees in the coarser of the two formats.",
        1: (
            "The two differ in structure (see above); rounding can't do that."
            if comparison.structural
            else "NaN and infinity are in different places; rounding can't do that."
        ),
        3: (
            "These are numbers, not a verdict. Two results alone can't show whether a difference is rounding: that depends on the function. "
            f"Next: halfulp check FILE.py, with both functions.{no_reference}"
        ),
    }[comparison.exit_code]


def _tolerated_in_words(tolerated: Tolerated) -> str:
    limits = {"rtol": tolerated.rtol_rel, "atol": tolerated.atol_abs, "ulps": tolerated.max_ulps}
    words = ", ".join(f"{name} {limit:g}" for name, limit in limits.items() if limit is not None)
    if not tolerated.beyond:
        return f"{'The only element is' if tolerated.count == 1 else f'All {tolerated.count:,} elements are'} within {words}."
    where = f"{', the tensor with the most is ' if tolerated.beyond > 1 else ', in '}{tolerated.worst}" if tolerated.worst else ""
    return f"{tolerated.beyond:,} of {counted(tolerated.count, 'element')} {verb(tolerated.beyond, 'are')} beyond {words}{where}."
