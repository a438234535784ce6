"""The page of a comparison: numbers, and why they are no verdict."""

from __future__ import annotations

from functools import partial

from ...differences import Comparison
from ...words.numbers import number, share, verb
from ..charts.histograms import ulp_histogram
from ..text.comparisons import closing_words, reference_words, structural_words
from .page import Figure, Number, Page, Part, Section, Words
from .tables import DIFFERENCE_TABLE, WORST_TABLE, difference_data, worst_data

HISTOGRAMS = 3


def _headline(comparison: Comparison) -> tuple[str, str]:
    """The title, which answers, and its tone."""
    if comparison.structural:
        others = len(comparison.structural) - 1
        more = f", and {others} more" if others else ""
        return f"They differ in structure: {structural_words(comparison)[0]}{more}", "bad"
    if comparison.tolerated is not None:
        return ("All elements are within the limits", "good") if not comparison.exit_code else ("Elements are beyond the limits", "bad")
    if comparison.exit_code == 1:
        return "NaN and infinity are in different places", "bad"
    if comparison.unequal:
        return "They differ", "unsure"
    return "Every bit agrees" if comparison.same_bits else "Every element agrees in the coarser of the two formats", "good"


def comparison_page(comparison: Comparison) -> Page:
    """The page of a comparison."""
    headline, tone = _headline(comparison)
    parts: list[Part] = []
    structural = structural_words(comparison)
    if structural:
        parts.append(Words(tuple(structural), is_list=True))
    if comparison.error_in_u:
        parts.append(Words(tuple(reference_words(comparison)), is_list=True))
    for place, difference in enumerate(sorted(comparison, key=lambda difference: -difference.max_ulps)[:HISTOGRAMS]):
        if difference.unequal:
            title = f"How many ulps apart{f': {difference.path}' if difference.path else ''}"
            parts.append(
                Figure(
                    f"ulps-{place}",
                    partial(ulp_histogram, difference, f"ulps_{place}"),
                    title,
                    f"{share(difference.unequal, difference.compared)} {verb(difference.unequal, 'differ')}"
                    + ("." if difference.compared == difference.count else "; only elements that are finite on both sides are counted."),
                )
            )
    if comparison.differences:
        parts += [DIFFERENCE_TABLE, *([WORST_TABLE] if any(difference.worst_abs for difference in comparison) else [])]
    numbers = (
        Number(share(comparison.unequal, comparison.count), "differs" if comparison.unequal == 1 else "differ"),
        Number(number(comparison.max_abs), "largest absolute difference", f"largest relative difference {number(comparison.max_rel)}"),
        Number(f"{comparison.max_ulps:,}", "largest distance in ulps"),
    )
    datasets = {"differences": difference_data(comparison), "worst": worst_data(comparison)}
    steps = ()
    if comparison.structural:
        steps = ("First give both results the same structure: the same names, shapes and kinds of numbers.",)
    elif comparison.exit_code:
        steps = ("Run halfulp check with both functions: whether a difference is rounding depends on the function and its inputs.",)
    return Page(
        "comparison",
        "How far apart are they?",
        headline,
        tone,
        closing_words(comparison),
        numbers,
        steps,
        (Section("numbers", "The numbers", tuple(parts)),),
        datasets,
    )
