"""The page of a growth: the picture of errors over sizes, and every size."""

from __future__ import annotations

from functools import partial

from ...sweeps.slopes import Growth
from ...words.numbers import number
from ..charts.growths import growth_chart, growth_columns
from ..text.growths import slope_words
from .page import Column, Figure, Number, Page, Part, Section, Table, Words, tone_of


def growth_page(growth: Growth) -> Page:
    """The page of a growth."""
    worst = growth.worst
    columns = (
        Column("size", "size", True), Column("seed", "seed", True), Column("verdict", "verdict"), Column("actual_error", "actual in u", True),
        Column("expected_error", "expected in u", True), Column("difference", "difference in u", True), Column("noise", "noise in u", True),
        Column("limit", "limit, in units of the noise", True),
    )  # fmt: skip
    caption = (
        f"Root mean square errors in units of u times the result's root mean square (u is half an ulp of 1 in {growth.declared}), on logarithmic axes. The area is what rounding causes, up to the limit of correct "
        "implementations; its dashed line is the sampled noise of adding the terms one by one. Lines are least-squares fits."
    )
    parts: list[Part] = [Table("sizes", "Every size", columns)]
    if growth.points:
        parts.insert(0, Figure("growth", partial(growth_chart, growth), "Error against size", caption))
    if growth.slopes:
        words = tuple(f"{slope_words(slope)}, with a confidence of 95 %" for slope in growth.slopes)
        parts.insert(1, Words(words, is_list=True))
    sections = (Section("growth", "How the error grows", tuple(parts)),)
    stopped = "" if growth.complete else f" Larger sizes are missing: {growth.stopped}"
    where = "the only size" if growth.sizes == 1 else f"the worst of {growth.sizes:,} sizes"
    law = "When terms are added one by one, the error grows with exponent 0.5 relative to the result; with blocks and trees, the exponent is smaller."
    return Page(
        "growth",
        "How does the error grow with the size?",
        f"{worst.name}: {worst.meaning}",
        tone_of(worst.acceptable),
        f"{growth.names[0]} against {growth.names[1]}, declared precision {growth.declared}: the verdict of {where}. {law}{stopped}",
        _numbers(growth),
        (_all_is_well(growth),) if worst.acceptable else ("Run halfulp check at the smallest size that fails.",),
        sections,
        {"sizes": growth_columns(growth)},
    )


def _all_is_well(growth: Growth) -> str:
    slopes = [slope for slope in (growth.slope("actual"), growth.slope("noise")) if slope is not None]
    if not slopes:
        return "Nothing is wrong. Run three sizes or more to see whether the error grows."
    if not any(slope.low > 0 for slope in slopes):
        return "Nothing is wrong, and the error doesn't grow with the size."
    return "Nothing is wrong, but the error grows with the size, and so must a tolerance for this function. halfulp tolerance FILE.py derives one."


def _numbers(growth: Growth) -> tuple[Number, ...]:
    found = [
        Number(
            f"{slope.exponent:.2f}",
            f"exponent of {'the predicted noise' if slope.of == 'noise' else f'the error of {slope.of}'}",
            f"95 %: {slope.low:.2f} to {slope.high:.2f}",
        )
        for slope in (growth.slope("actual"), growth.slope("noise"))
        if slope is not None
    ]
    if growth.points:
        worst = max(growth.points, key=growth.share)
        share = growth.share(worst)
        found.append(Number(number(share), "times the limit of a correct implementation, at most", f"at size {worst.size:,}"))
    return tuple(found)
