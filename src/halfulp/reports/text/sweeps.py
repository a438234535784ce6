"""A sweep as text: how many cases, what is not acceptable, why cases have no verdict; and answers of the store as tables."""

from __future__ import annotations

from ...store.answer import Answer
from ...sweeps.swept import FoundProblem, Swept
from ...words.numbers import counted, number, times_of
from .tables import as_text, plain_table

MOST = 20
"""Findings, faults and rows that are printed; the page, the JSON and the store have all."""


def sweep_text(found: Swept, form: str = "full") -> str:
    """The answer alone, or with verdicts, findings and faults."""
    if form in ("answer", "reason", "assertion"):
        return sweep_answer(found)
    parts = [sweep_answer(found), ""]
    verdicts = plain_table("verdict", "cases", "share")
    for verdict, count in found.verdicts.items():
        verdicts.add_row(verdict or "no verdict", f"{count:,}", f"{100 * count / found.cases:.3g} %")
    parts.append(as_text(verdicts))
    for problem in found.findings[:MOST]:
        parts += ["", *problem_lines(problem)]
    if len(found.findings) > MOST:
        parts += ["", f"{len(found.findings) - MOST:,} more: halfulp results {found.store} flagged"]
    if found.faults:
        parts += ["", "Cases without a verdict:"]
        parts += [f"  {count:,}: {fault}" for fault, count in list(found.faults.items())[:MOST]]
        if len(found.faults) > MOST:
            parts.append(f"  {counted(len(found.faults) - MOST, 'more reason')}: halfulp results {found.store} faults")
    if len(found.runs) > 1:
        runs = plain_table("run", "versions", "cases", "flagged", "faults", "newly flagged", "no longer flagged", "missing")
        for run in found.runs[:MOST]:
            runs.add_row(
                run.run, run.versions, *(f"{count:,}" for count in (run.cases, run.flagged, run.faults, run.new, run.gone, run.missing))
            )
        parts += ["", as_text(runs)]
    return "\n".join([*parts, "", f"Everything is in {found.store}: halfulp results {found.store} lists the questions that it answers."])


def sweep_answer(found: Swept) -> str:
    """How many cases are not acceptable, in how many findings."""
    stopped = "" if found.complete else " It was interrupted: --resume continues it."
    flagged = sum(problem.cases for problem in found.findings)
    of = f"{found.plan}: {counted(found.cases, 'case')} of {counted(len(found.subjects), 'subject')}"
    left = found.verdicts.get("UNDECIDED", 0), found.verdicts.get("", 0)
    open_ones = [f"{count:,} {words}" for count, words in zip(left, ("undecided", "without a verdict")) if count]
    rest = f" ({', '.join(open_ones)})" if open_ones else ""
    if flagged:
        return f"{of}, {flagged:,} not acceptable ({100 * flagged / found.cases:.3g} %), in {counted(len(found.findings), 'finding')}{rest}.{stopped}"
    return f"{of}, none of them judged not acceptable{rest}.{stopped}"


def problem_lines(problem: FoundProblem) -> list[str]:
    """A finding in some lines: what, how often, how bad, why."""
    size = "" if problem.excess is None else f", up to {times_of(problem.excess)} the limit of a correct implementation"
    where = ", ".join(filter(None, (problem.setting, problem.shape and f"inputs {problem.shape}")))
    lines = [
        f"{problem.verdict}  {title_of(problem)}: {counted(problem.cases, 'case')}{_again(problem)}{size}",
        f"    The worst: {where}. {problem.reason}",
    ]
    lines += [f"    Cause: {problem.explanation}"] if problem.cause else []
    lines += [f"    Begins at: {problem.origin}"] if problem.origin else []
    lines += [f"    Smallest inputs: {problem.smallest}"] if problem.smallest else []
    return lines


def _again(problem: FoundProblem) -> str:
    """How many of its cases have the same verdict with another seed, where any was checked with one."""
    if not problem.checked_again:
        return ""
    if problem.cases == 1:
        return ", with another seed too" if problem.repeated else ", not with another seed"
    of = "" if problem.checked_again == problem.cases else f" of {problem.checked_again:,} that were checked with it"
    return f", {problem.repeated:,} with another seed too{of}"


def title_of(problem: FoundProblem) -> str:
    """What is compared in a finding, in a line."""
    more = ", ".join(filter(None, (problem.dtype, problem.environment)))
    return f"{problem.subject}{f' ({more})' if more else ''}, {problem.actual} against {problem.expected}"


def answer_text(found: Answer, form: str = "full") -> str:
    """The rows as a table; with the form "answer", how many there are."""
    if form != "full":
        return counted(len(found.rows), "row")
    table = plain_table(*found.columns)
    for row in found.rows[:MOST]:
        table.add_row(*map(_cell, row))
    more = [f"{len(found.rows) - MOST:,} more rows: --csv FILE or --json writes all."] if len(found.rows) > MOST else []
    return "\n".join([found.question, "", as_text(table) if found.rows else "No rows.", *more])


def _cell(value: object) -> str:
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return number(value) if isinstance(value, float) else f"{value:,}" if isinstance(value, int) else str(value)
