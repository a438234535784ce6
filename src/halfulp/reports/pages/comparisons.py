"""The page of a comparison: numbers, and why they are no verdict."""

from __future__ import annotations

from functools import partial

from ...differences import Comparison
from ...words.numbers import number, share
from ..charts.histograms import ulp_histogram
from ..text.comparisons import closing_words, reference_words, structural_words
from .page import Figure, Number, Page, Part, Section, Words
from .tables import DIFFERENCE_TABLE, WORST_TABLE, difference_data, worst_data

HISTOGRAMS = 3
HEADLINES = {
    0: ("Every bit agrees", "good"),
    1: ("They differ in structure, or in where NaN and infinity are", "bad"),
    3: ("They differ", "unsure"),
}


def comparison_page(comparison: Comparison) -> Page:
    """The page of a comparison."""
    headline, tone = HEADLINES[comparison.exit_code]
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
                    f"{share(difference.unequal, difference.count)} differ.",
                )
            )
    if comparison.differences:
        parts += [DIFFERENCE_TABLE, *([WORST_TABLE] if any(difference.worst_abs for difference in comparison) else [])]
    numbers = (
        Number(share(comparison.unequal, comparison.count), "differ"),
        Number(number(comparison.max_abs), "largest absolute difference", f"largest relative difference {number(comparison.max_rel)}"),
        Number(f"{comparison.max_ulps:,}", "largest distance in ulps"),
    )
    datasets = {"differences": difference_data(comparison), "worst": worst_data(comparison)}
    steps = (
        ()
        if comparison.exit_code == 0
        else ("Run halfulp check with both functions: rounding or mistake depends on the function and its inputs.",)
    )
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
