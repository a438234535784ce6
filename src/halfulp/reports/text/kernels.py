"""What kernels are, as text: a row for each solution, or all that is known of one."""

from __future__ import annotations

from rich import box
from rich.table import Table

from ...kernels import KernelReport, KernelResult
from ...words.numbers import counted
from .tables import as_text


def kernel_report_text(found: KernelReport, form: str) -> str:
    """One solution in full, several as a table."""
    if len(found.results) == 1:
        return kernel_text(found.results[0], form)
    head = report_answer(found)
    if form != "full":
        return head
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, header_style="")
    for name in ("solution", "answer", "because", "s"):
        table.add_column(name, overflow="fold", justify="right" if name == "s" else "left")
    for result in found.results:
        table.add_row(result.solution, result.answer, short_reason(result), f"{result.seconds:.0f}")
    return as_text(head, "", table)


def report_answer(found: KernelReport) -> str:
    """How many are right."""
    right = sum(result.acceptable is True for result in found.results)
    stopped = "" if found.complete else " The run was interrupted; the others were not judged."
    return f"{right} of {counted(len(found.results), 'solution')} {'is' if right == 1 else 'are'} right.{stopped}"


def kernel_text(result: KernelResult, form: str) -> str:
    """The answer, or all that was asked."""
    answer = f"{result.answer}: {result.because}"
    if form in ("answer", "reason", "assertion"):
        return answer
    parts = [
        answer,
        "",
        f"{result.solution} for {result.problem} ({result.format})" + (f", judged in {result.declared}" if result.declared else ""),
    ]
    if result.promises:
        parts += [
            "",
            "What the problem's inputs always satisfy, and every question respected:",
            *(f"  - {words}" for words in result.promises),
        ]
    if result.notes:
        parts += ["", "Notes:", *(f"  - {words}" for words in result.notes)]
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, header_style="")
    for name in ("asked", "on", "answer", "note"):
        table.add_column(name, overflow="fold")
    for entry in result.asked:
        table.add_row(entry.kind, entry.label, entry.answer, entry.note)
    held = (
        f"The solution ran in a process of its own: {', '.join(result.held)}."
        if result.held
        else "On this system, the solution's process ran without any restrictions."
    )
    return as_text(*parts, "", table, "", held)


def short_reason(result: KernelResult) -> str:
    """What decided, in a few words."""
    if result.cheat:
        return result.cheat
    where = f"{result.kind}: {result.label}" if result.kind else result.label
    if result.fault:
        return f"it {result.fault} ({where})"
    if result.acceptable is True:
        return counted(len(result.asked), "question")
    return where or result.because
