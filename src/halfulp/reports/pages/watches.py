"""The page of a watch: every case, and the reports of those that fail."""

from __future__ import annotations

from ...sweeps.watch import Baseline, Watch
from ...words.numbers import counted
from ..formats.markdown_summary import summary
from .page import Code, Column, Number, Page, Section, Table, Words
from .tables import columns_of


def watch_page(watch: Watch) -> Page:
    """The page of a watch."""
    rows = (
        (
            case.name,
            case.verdict.name if case.verdict is not None else "not run",
            case.before.name if case.before is not None else "-",
            case.change,
            case.reason,
            case.seconds,
            f"{case.file}:{case.line}",
        )
        for case in watch.cases
    )
    datasets = {"cases": columns_of(rows, "name", "verdict", "before", "change", "reason", "seconds", "file")}
    columns = (
        Column("name", "case", is_code=True), Column("verdict", "verdict"), Column("before", "before"), Column("change", "change"), Column("reason", "why"),
        Column("seconds", "s", True), Column("file", "file", is_code=True),
    )  # fmt: skip
    failing = [case for case in watch.cases if case.exit_code]
    marked = tuple(place for place, watched in enumerate(watch.cases) if watched.exit_code)
    sections = [Section("cases", "The cases", (Table("cases", "Every case; those that fail are marked", columns, marked),))]
    if watch.missing:
        sections.append(
            Section(
                "missing",
                "Not run",
                (
                    Words(
                        (f"In the baseline and not run: {', '.join(watch.missing)}.",),
                    ),
                ),
            )
        )
    if failing:
        sections.append(
            Section(
                "failing",
                "Those that fail",
                tuple(Code(f"{watched.name} ({watched.file}:{watched.line})", watched.report) for watched in failing),
            )
        )
    worse = sum(case.change == "worse" for case in watch.cases)
    compared = (
        "Each case is shown beside the verdict that the baseline has for it."
        if watch.has_baseline
        else "There is no baseline, so each case is judged alone."
    )
    return Page(
        "watch", "Did a verdict get worse?", summary(watch), {0: "good", 3: "unsure"}.get(watch.exit_code, "bad"), compared,
        (Number(f"{len(watch.cases):,}", "cases"), Number(f"{len(failing):,}", "fail"), Number(f"{worse:,}", "got worse")),
        ("halfulp ci FILES --baseline FILE --update records these verdicts as the new baseline.",) if failing else (), tuple(sections), datasets,
    )  # fmt: skip


def baseline_page(baseline: Baseline) -> Page:
    """The page of a baseline."""
    datasets = {"verdicts": columns_of(((name, verdict.name) for name, verdict in baseline.verdicts.items()), "name", "verdict")}
    table = Table(
        "verdicts", "The verdict that each case is compared with", (Column("name", "case", is_code=True), Column("verdict", "verdict"))
    )
    count = len(baseline.verdicts)
    known = sum(not verdict.acceptable for verdict in baseline.verdicts.values())
    return Page(
        "baseline", "Which verdicts are known?", f"{counted(count, 'known verdict')}", "plain", f"{known:,} of them {'is a known fault' if known == 1 else 'are known faults'} (not acceptable, but recorded in the baseline).",
        (Number(f"{count:,}", "cases"), Number(f"{known:,}", "known faults")), (), (Section("verdicts", "The verdicts", (table,)),), datasets,
    )  # fmt: skip
