"""A comparison as text: numbers, and why they are no verdict."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .tables import as_text, difference_table, worst_table

if TYPE_CHECKING:
    from rich.console import RenderableType

    from ...differences import Comparison


def comparison_text(comparison: Comparison) -> str:
    """Structure, NaN and infinity, the metrics, the worst elements, errors against a reference."""
    parts: list[RenderableType] = [*structural_words(comparison)]
    if comparison.differences:
        parts.append(difference_table(comparison.differences))
    table = worst_table(comparison)
    if table is not None:
        parts += ["", table]
    parts += [*reference_words(comparison)]
    return as_text(*(parts or ["Nothing to compare."]), closing_words(comparison))


def structural_words(comparison: Comparison) -> list[str]:
    """What no number can express."""
    words = [
        f"{mismatch.kind} at {mismatch.path or 'the only tensor'}: got {mismatch.actual}, expected {mismatch.expected}"
        for mismatch in comparison.mismatches
    ]
    return words + [
        f"NaN or infinity on one side only at {difference.path or 'the only tensor'}: {difference.special_mismatches:,} of {difference.count:,} elements"
        for difference in comparison
        if difference.special_mismatches
    ]


def reference_words(comparison: Comparison) -> list[str]:
    """Errors against a reference, one line a tensor."""
    return [
        f"{name}{' ' + error.path if error.path else ''} against the reference: {error.max_in_u:.3g} u at the worst element, {error.rms_in_u:.3g} u rms "
        f"(u = {error.unit_roundoff:.3g} of {error.declared}, scale: {error.scale})"
        for name, found in comparison.error_in_u.items()
        for error in found
    ]


def closing_words(comparison: Comparison) -> str:
    """What the numbers say, and what they can't."""
    no_reference = (
        "" if comparison.error_in_u else " Or --reference with a float64 result, and --scale with |A||B|: then errors are given in u."
    )
    return {
        0: "Every bit agrees.",
        1: "The two differ in structure or in where NaN and infinity are: no rounding does that.",
        3: (
            "These are numbers, not a verdict: whether this is rounding depends on the function and its inputs, which files don't hold. "
            f"Next: halfulp check FILE.py with both functions.{no_reference}"
        ),
    }[comparison.exit_code]
