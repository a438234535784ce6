"""A check as text: the answer, the evidence, the numbers, the worst elements, what to do next."""

from __future__ import annotations

from rich.console import RenderableType

from ...verdicts import CheckResult
from ...verdicts.reasons import reason, warnings_of
from .advice import advice, further
from .tables import as_text, difference_table, evidence_table, worst_table

ACCEPTABLE = {True: "acceptable", False: "not acceptable", None: "undecided"}


def check_text(result: CheckResult, form: str) -> str:
    """The answer alone, the reason alone, what a failing test says, or everything."""
    if form == "reason":
        return reason(result)
    if form == "answer":
        return as_text(
            _answer(result), *(f"Next, {step[:1].lower()}{step[1:]}" for step in (further(result)[:1] if _fails(result) else ()))
        )
    if form == "assertion":
        return as_text(_answer(result), *(f"Next{', ' if further(result) else ': '}{step}" for step in _next(result)))
    return as_text(
        _answer(result), "", evidence_table(result), "", difference_table(result.difference), *_worst(result), "", *_steps(result)
    )


def _answer(result: CheckResult) -> str:
    return (
        f"{result.verdict.name}: {result.verdict.meaning} ({ACCEPTABLE[result.acceptable]})\n"
        f"{result.names[0]} against {result.names[1]}, declared precision {result.declared}. {reason(result)}"
        + "".join(f"\nWarning: {sentence}" for sentence in (warnings_of(result) if result.acceptable or result.find("stored") else ()))
    )


def _fails(result: CheckResult) -> bool:
    """Whether it was asked by a command, and one more command helps."""
    return not result.acceptable and bool(result.operands)


def _next(result: CheckResult) -> list[str]:
    """The one step that comes next."""
    command = further(result)
    return [command[0][:1].lower() + command[0][1:]] if command else advice(result)[:1]


def _worst(result: CheckResult) -> list[RenderableType]:
    table = worst_table(result.difference)
    return ["", table] if table is not None else []


def _steps(result: CheckResult) -> list[str]:
    return ["Next:", *(f"  - {step}" for step in advice(result))]
