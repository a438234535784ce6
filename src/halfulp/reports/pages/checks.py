"""The page of a check: verdict, evidence with its pictures, numbers."""

from __future__ import annotations

from functools import partial

from ...floats import FLOAT64, FORMATS
from ...verdicts import CheckResult
from ...verdicts.closeup import Closeup
from ...verdicts.evidence.finding import Finding
from ...verdicts.reasons import reason
from ...words.numbers import counted, number, share, times_of, verb
from ..charts.elements import element_columns, error_against_noise
from ..charts.histograms import ulp_histogram
from ..charts.profiles import profile_chart, residual_map
from ..text.advice import advice
from ..text.evidence import QUESTIONS, measured_words
from .page import Column, Columns, Figure, Number, Page, Part, Section, Table, Words, tone_of
from .tables import DIFFERENCE_TABLE, WORST_TABLE, columns_of, difference_data, provenance, worst_data

F = Finding

OUTPUTS = 3
"""Outputs that have pictures: the worst ones. Tables hold the others."""


def check_page(result: CheckResult) -> Page:
    """The page of a check."""
    datasets: dict[str, Columns] = {
        "evidence": columns_of(
            (
                (QUESTIONS.get(evidence.kind, evidence.kind), evidence.finding, measured_words(evidence), evidence.path)
                for evidence in result.evidence
            ),
            "question", "finding", "measured", "output",
        ),
        "differences": difference_data(result.difference),
        "worst": worst_data(result.difference),
    }  # fmt: skip
    return Page(
        "check",
        "Rounding or mistake?",
        f"{result.verdict.name}: {result.verdict.meaning}",
        tone_of(result.acceptable),
        f"{result.names[0]} against {result.names[1]}, declared precision {result.declared}. {reason(result)}",
        check_numbers(result),
        tuple(advice(result)),
        (Section("evidence", "The evidence", _evidence(result)), *_pictures(result, datasets), *_numbers(result), _environment(result)),
        datasets,
    )


def check_numbers(result: CheckResult) -> tuple[Number, ...]:
    """The numbers that carry the verdict: how much differs, how much of that rounding makes, and what exact arithmetic makes of it."""
    differ = result.difference
    numbers = [
        Number(
            share(differ.unequal, differ.count),
            "differs" if differ.unequal == 1 else "differ",
            "because one side is NaN or infinite"
            if differ.unequal and differ.unequal == sum(each.special_mismatches for each in differ.differences)
            else f"by up to {counted(differ.max_ulps, 'ulp')}, and by at most {number(differ.max_abs)} in absolute terms",
        )
    ]
    noise = result.find("noise")
    if noise is not None and "rms_in_noise" in noise.measured:
        m = noise.measured
        numbers.append(
            Number(f"{number(m['rms_in_noise'])} rms, {number(m['max_in_noise'])} worst", "error in units of what rounding causes here", f"a correct implementation stays below {number(m['rms_limit'])} and {number(m['max_limit'])}")
        )  # fmt: skip
    scaling = result.find("scaling")
    if scaling is not None and scaling.finding == F.VANISHES and isinstance(scaling.measured.get("shrinks_bits"), float):
        numbers.append(
            Number(
                f"2^{scaling.measured['shrinks_bits']:.0f}",
                "factor by which the difference shrinks in float64",
                _shrinking(result),
            )
        )
    elif scaling is not None:
        numbers.append(Number(scaling.finding, "the difference in another precision", measured_words(scaling)))
    elif differ.differences:
        numbers.append(
            Number(number(max(difference.rel_rms for difference in differ)), "relative difference (rms)", "of the output that differs most")
        )
    return tuple(numbers[:3])


def _shrinking(result: CheckResult) -> str:
    """What rounding does from the declared format to float64."""
    form = FORMATS.get(result.declared)
    if form is None or form.precision_bits >= FLOAT64.precision_bits:
        return ""
    return f"rounding error in {result.declared} shrinks by a factor of about 2^{FLOAT64.precision_bits - form.precision_bits}"


def _evidence(result: CheckResult) -> tuple[Part, ...]:
    deciding = [QUESTIONS.get(name, name) for name in result.because]
    decided = Words((f"Decided by: {' '.join(deciding)}",)) if deciding else Words(("No single measurement decided.",))
    marked = tuple(place for place, evidence in enumerate(result.evidence) if evidence.kind in result.because)
    columns = (
        Column("question", "asked"),
        Column("finding", "found"),
        Column("measured", "measured"),
        *((Column("output", "output", is_code=True),) if any(evidence.path for evidence in result.evidence) else ()),
    )
    return (decided, Table("evidence", "Everything that was measured; the rows that decided the verdict are marked", columns, marked))


def _pictures(result: CheckResult, datasets: dict[str, Columns]) -> list[Section]:
    found: list[Section] = []
    by_path = {closeup.path: closeup for closeup in result.closeups}
    ranked = sorted(result.difference, key=lambda difference: -difference.max_abs)
    for place, difference in enumerate(ranked[:OUTPUTS]):
        name = f"output-{place}"
        parts: list[Part] = []
        closeup = by_path.get(difference.path)
        if closeup is not None and closeup.noise:
            parts += _closeup_parts(closeup, name, datasets)
        if difference.unequal:
            caption = f"{difference.unequal:,} of {counted(difference.count, 'element')} {verb(difference.unequal, 'differ')}; the median over all elements, in ulps, is {number(difference.median_ulps)}."
            parts.append(Figure(f"{name}-ulps", partial(ulp_histogram, difference, f"{name}_ulps"), "How many ulps apart", caption))
        if parts:
            title = f"Output {difference.path}" if difference.path else "The output, element by element"
            found.append(Section(name, title, tuple(parts)))
    return found


def _closeup_parts(closeup: Closeup, name: str, datasets: dict[str, Columns]) -> list[Part]:
    elements = f"{name}_elements"
    datasets[f"{elements}_table"] = element_columns(closeup)
    limit = (
        f"The upper line is {times_of(closeup.limit)} the noise: what the worst element of a correct implementation reaches."
        if closeup.limit is not None
        else ""
    )
    parts: list[Part] = [
        Figure(
            elements,
            partial(error_against_noise, closeup, elements),
            "Each error beside the noise of rounding",
            (
                f"Of {counted(closeup.count, 'element')}, this shows the {closeup.worst:,} worst"
                f"{'' if len(closeup.places) == closeup.worst else ' and ' + format(len(closeup.places) - closeup.worst, ',') + ' of the others, small and large'}, leaving out those without an error. On the "
                "dashed line an error is as large as the noise; at the left edge are the elements that rounding does not "
                f"move at all. {limit}"
            ),
        )
    ]
    for profile in closeup.profiles:
        which = "each index" if profile.step == 1 else f"the most conspicuous index in each group of {profile.step}"
        caption = (
            f"The mean of error divided by noise at {which}, drawn over a band that shows how large rounding makes "
            "that mean. There is a pattern if a mean lies more than four times as far from zero as the edge of the band."
        )
        parts.append(
            Figure(
                f"{name}-axis-{profile.axis}",
                partial(profile_chart, profile, f"{name}_axis_{profile.axis}"),
                f"Mean error along axis {profile.axis}",
                caption,
            )
        )
    if closeup.heat is not None:
        caption = "Root mean square of error divided by noise, across the last two axes. Rounding leaves no pattern here that would recur on other inputs."
        parts.append(Figure(f"{name}-map", partial(residual_map, closeup.heat, f"{name}_map"), "Where the error is", caption))
    columns = (
        Column("index", "element", is_code=True), Column("actual", "actual", True, is_whole=True), Column("expected", "expected", True, is_whole=True), Column("error", "error", True),
        Column("noise", "noise", True), Column("in_noise", "in noise", True),
    )  # fmt: skip
    parts.append(Table(f"{elements}_table", "The elements of the first picture", columns))
    return parts


def _numbers(result: CheckResult) -> list[Section]:
    parts: list[Part] = []
    if result.difference.mismatches:
        lines = tuple(
            f"{mismatch.kind} at {mismatch.path or 'the only tensor'}: got {mismatch.actual}, expected {mismatch.expected}"
            for mismatch in result.difference.mismatches
        )
        parts.append(Words(lines, is_list=True))
    if result.difference.differences:
        parts.append(DIFFERENCE_TABLE)
    if any(difference.worst_abs for difference in result.difference):
        parts.append(WORST_TABLE)
    return [Section("numbers", "The numbers", tuple(parts))] if parts else []


def _environment(result: CheckResult) -> Section:
    return provenance(
        result.versions, ("declared precision", result.declared), ("seed", str(result.seed)), ("seconds", f"{result.seconds:.1f}")
    )
