"""The page of kernels: a row for each solution, and what one was asked."""

from __future__ import annotations

from ...kernels import KernelReport, KernelResult
from ...words.numbers import counted, verb
from ..text.kernels import report_answer, short_reason
from .page import Column, Columns, Number, Page, Part, Section, Table, Words, tone_of
from .tables import columns_of

SEVERAL = "Each solution ran in a process of its own. The question on which it was first found wrong decides."
IN_FULL = 20
"""Of so many solutions at most every question is listed."""


def kernel_page(report: KernelReport) -> Page:
    """The page of a report."""
    results = report.results
    datasets: dict[str, Columns] = {
        "solutions": columns_of(
            ((result.solution, result.answer, short_reason(result), len(result.asked), result.seconds) for result in results),
            "solution", "answer", "because", "asked", "seconds",
        ),
    }  # fmt: skip
    columns = (
        Column("solution", "solution", is_code=True), Column("answer", "answer"), Column("because", "because"), Column("asked", "questions", True),
        Column("seconds", "seconds", True),
    )  # fmt: skip
    marked = tuple(place for place, result in enumerate(results) if result.acceptable is False)
    sections = (
        [Section("solutions", "The solutions", (Table("solutions", "What each solution is", columns, marked),))]
        if len(results) != 1
        else []
    )
    for place, result in enumerate(results[:IN_FULL]):
        name = f"asked_{place}"
        datasets[name] = columns_of(
            ((entry.kind, entry.label, entry.answer, entry.note) for entry in result.asked), "kind", "label", "answer", "note"
        )
        sections.append(Section(f"solution-{place}", f"What {result.solution} was asked", tuple(_parts(result, name))))
    one = results[0] if len(results) == 1 else None
    return Page(
        "kernel", "Is this kernel right?", f"{one.answer}: {one.solution}" if one is not None else report_answer(report), tone_of(report.acceptable),
        one.because if one is not None else SEVERAL, _numbers(report), _steps(report), tuple(sections), datasets,
    )  # fmt: skip


def _parts(result: KernelResult, name: str) -> list[Part]:
    columns = (Column("kind", "asked"), Column("label", "on"), Column("answer", "answer"), Column("note", "note"))
    marked = tuple(place for place, entry in enumerate(result.asked) if entry.answer == "wrong")
    parts: list[Part] = [Words((f"{result.answer}: {result.because}",))]
    if result.asked:
        parts.append(Table(name, "Every question, in order", columns, marked))
    lines = (*result.promises, *result.notes)
    return [*parts, Words(lines, is_list=True)] if lines else parts


def _numbers(report: KernelReport) -> tuple[Number, ...]:
    right = sum(result.acceptable is True for result in report.results)
    cheats = sum(bool(result.cheat) for result in report.results)
    return (
        Number(f"{right} of {len(report.results)}", "right"),
        Number(str(cheats), "cheats"),
        Number(str(sum(len(result.asked) for result in report.results)), "questions asked"),
    )


def _steps(report: KernelReport) -> tuple[str, ...]:
    wrong = [result for result in report.results if result.acceptable is False and not result.cheat]
    if not wrong:
        return ()
    return (
        f"{counted(len(wrong), 'solution')} {verb(len(wrong), 'are')} wrong. Start with the question that is marked: nothing was asked after it.",
    )
