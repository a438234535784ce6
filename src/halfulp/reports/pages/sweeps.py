"""The page of a sweep: subjects, findings, the worst cases, why cases have no verdict, and the runs before."""

from __future__ import annotations

from functools import partial

from ...sweeps.swept import Swept
from ...words.numbers import counted
from ..charts.sweeps import SUBJECTS, subjects_chart, trend_chart
from ..text.sweeps import problem_lines, sweep_answer, title_of
from .page import Code, Column, Columns, Figure, Number, Page, Part, Section, Table, Words, tone_of
from .tables import columns_of

SIDES = (
    Column("subject", "subject", is_code=True), Column("actual", "actual", is_code=True), Column("expected", "expected", is_code=True),
    Column("dtype", "dtype"), Column("environment", "environment"),
)  # fmt: skip
SCRIPTS = 50
"""Programs of findings on a page; all are in the store."""


def sweep_page(found: Swept) -> Page:
    """The page of a sweep."""
    datasets: dict[str, Columns] = {
        "subjects": columns_of(
            (
                (each.subject, each.actual, each.expected, each.dtype, each.environment, each.cases, each.flagged, each.undecided, each.faults, each.worst_verdict or "none", each.worst_excess, each.seconds)
                for each in found.subjects
            ),
            "subject", "actual", "expected", "dtype", "environment", "cases", "flagged", "undecided", "faults", "verdict", "excess", "seconds",
        ),
        "findings": columns_of(
            (
                (each.subject, each.actual, each.expected, each.dtype, each.environment, each.verdict, each.cases, each.repeated, each.excess, each.cause or "-", each.setting, each.shape, each.reason)
                for each in found.findings
            ),
            "subject", "actual", "expected", "dtype", "environment", "verdict", "cases", "repeated", "excess", "cause", "setting", "shape", "reason",
        ),
        "cases": columns_of(
            (
                (each.subject, each.actual, each.expected, each.dtype, each.environment, each.setting, each.shape, each.verdict or "none", each.excess, each.largest_ulps, each.seconds, each.reason or each.fault)
                for each in found.worst
            ),
            "subject", "actual", "expected", "dtype", "environment", "setting", "shape", "verdict", "excess", "ulps", "seconds", "reason",
        ),
        "runs": columns_of(
            ((run.run, run.versions, run.cases, run.flagged, run.faults, run.new, run.gone, run.missing) for run in found.runs),
            "run", "versions", "cases", "flagged", "faults", "new", "gone", "missing",
        ),
    }  # fmt: skip
    sections = [*_findings(found), *_tables(found)]
    flagged = sum(each.cases for each in found.findings)
    headline = (
        f"{flagged:,} of {counted(found.cases, 'case')} not acceptable"
        if flagged
        else f"None of {counted(found.cases, 'case')} judged not acceptable"
    )
    return Page(
        "sweep", "Which of these cases are wrong?", headline, tone_of(found.acceptable), sweep_answer(found),
        (
            Number(f"{found.cases:,}", "cases", f"in {found.seconds:,.0f} s"), Number(f"{len(found.subjects):,}", "subjects"),
            Number(f"{len(found.findings):,}", "findings", "flagged cases that are taken for one"),
        ),
        (f"halfulp results {found.store} flagged lists every case that is not acceptable.",) if flagged else (), tuple(sections), datasets,
    )  # fmt: skip


def _findings(found: Swept) -> list[Section]:
    if not found.findings:
        return []
    columns = (
        Column("verdict", "verdict"), *SIDES, Column("cases", "cases", True), Column("repeated", "with another seed too", True),
        Column("excess", "times the limit", True), Column("cause", "cause"), Column("setting", "the worst"), Column("shape", "inputs"), Column("reason", "why"),
    )  # fmt: skip
    parts: list[Part] = [Table("findings", "Flagged cases of one subject with the same verdict by the same evidence", columns)]
    for each in [each for each in found.findings if each.script][:SCRIPTS]:
        parts += [
            Words(tuple(line.strip() for line in problem_lines(each))),
            Code(f"{title_of(each)}: a program that shows it", each.script),
        ]
    return [Section("findings", "What is not acceptable", tuple(parts))]


def _tables(found: Swept) -> list[Section]:
    subjects = (
        *SIDES, Column("cases", "cases", True), Column("flagged", "not acceptable", True), Column("undecided", "undecided", True), Column("faults", "no verdict", True),
        Column("verdict", "worst verdict"), Column("excess", "largest error, times the limit", True), Column("seconds", "s", True),
    )  # fmt: skip
    cases = (
        Column("verdict", "verdict"), *SIDES, Column("setting", "case"), Column("shape", "inputs"), Column("excess", "times the limit", True),
        Column("ulps", "largest, in ulps", True), Column("seconds", "s", True), Column("reason", "why"),
    )  # fmt: skip
    most = f" Only the {SUBJECTS} worst subjects are shown." if len({each.subject for each in found.subjects}) > SUBJECTS else ""
    tiles = Figure("map", partial(subjects_chart, found), "Verdicts", f"Each tile shows the worst verdict among a subject's cases.{most}")
    kept = f"The worst {len(found.worst):,} of {found.cases:,} cases" if len(found.worst) < found.cases else "Every case"
    sections = [
        Section("subjects", "Every subject", (tiles, Table("subjects", "All subjects, the worst first", subjects))),
        Section("cases", kept, (Table("cases", f"{kept}; the store has all", cases),)),
    ]
    if found.faults:
        sections.append(
            Section(
                "faults",
                "Cases without a verdict",
                (Words(tuple(f"{count:,}: {fault}" for fault, count in found.faults.items()), is_list=True),),
            )
        )
    if len(found.runs) > 1:
        columns = (
            Column("run", "run", is_code=True), Column("versions", "versions"), Column("cases", "cases", True), Column("flagged", "not acceptable", True),
            Column("faults", "no verdict", True), Column("new", "newly flagged", True), Column("gone", "no longer flagged", True), Column("missing", "missing", True),
        )  # fmt: skip
        trend = Figure("trend", partial(trend_chart, found), "Run by run", "Cases that are not acceptable in each run of this plan.")
        sections.append(Section("runs", "The runs of this plan", (trend, Table("runs", "The latest first", columns))))
    return sections
