"""report: a result as text, in full or in part."""

from __future__ import annotations

from rich.console import RenderableType

from ..audits import Audit
from ..causes import Explanation
from ..datasheets import Datasheet
from ..differences import Comparison
from ..errors import InputError
from ..origins import Origin
from ..probes import RevealedOrder
from ..remedies import Tolerance
from ..verdicts import CheckResult
from .advice import advice
from .causes import explanation_text
from .datasheets import datasheet_text
from .orders import order_text
from .origins import origin_text
from .reasons import reason
from .tables import as_text, audit_table, difference_table, evidence_table, tolerance_table, worst_table

FORMS = ("full", "answer", "reason", "assertion")


def report(
    result: CheckResult | Comparison | Audit | Tolerance | RevealedOrder | Datasheet | Origin | Explanation, *, form: str = "full"
) -> str:
    """A result as text.

    Args:
        result: what `check`, `compare`, `audit`, `suggest_tolerance`, `reveal_order`, `datasheet`, `locate` or `explain` returned.
        form: "full" (the answer, the evidence, the numbers, the worst elements, what to do next), "answer" (the answer alone), "reason" (the
            reason in a sentence), "assertion" (for a failing test). Results other than a check's have the full form only.

    Raises:
        InputError: an unknown form, or something that is no result.
    """
    if form not in FORMS:
        raise InputError(
            f"Got form={form!r}. Needed: one of {', '.join(FORMS)}. Each is a different text. Leave it out for the full report."
        )
    if isinstance(result, Comparison):
        return _comparison(result)
    if isinstance(result, Audit):
        return _audit(result)
    if isinstance(result, Tolerance):
        return _tolerance(result)
    if isinstance(result, RevealedOrder):
        return order_text(result)
    if isinstance(result, Origin):
        return origin_text(result, form)
    if isinstance(result, Explanation):
        return explanation_text(result, form)
    if isinstance(result, Datasheet):
        return datasheet_text(result)
    if not isinstance(result, CheckResult):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise InputError(
            f"Got {type(result).__name__}. Needed: a result of halfulp.check, compare, audit, suggest_tolerance, reveal_order, datasheet, locate or explain. Only results can be drawn. Pass what they returned."
        )
    if form == "reason":
        return reason(result)
    if form == "answer":
        return _answer(result)
    if form == "assertion":
        return as_text(_answer(result), "", evidence_table(result), *_worst(result), "", *_steps(result))
    return as_text(
        _answer(result), "", evidence_table(result), "", difference_table(result.difference), *_worst(result), "", *_steps(result)
    )


def _answer(result: CheckResult) -> str:
    acceptable = {True: "acceptable", False: "not acceptable", None: "undecided"}[result.acceptable]
    return (
        f"{result.verdict.name}: {result.verdict.meaning} ({acceptable})\n"
        f"{result.names[0]} against {result.names[1]}, declared {result.declared}. {reason(result)}"
    )


def _worst(result: CheckResult) -> list[RenderableType]:
    table = worst_table(result.difference)
    return ["", table] if table is not None else []


def _steps(result: CheckResult) -> list[str]:
    return ["Next:", *(f"  - {step}" for step in advice(result))]


def _comparison(comparison: Comparison) -> str:
    parts: list[RenderableType] = []
    for each in comparison.mismatches:
        parts.append(f"{each.kind} at {each.path or 'the only tensor'}: got {each.actual}, expected {each.expected}")
    specials = [each for each in comparison if each.special_mismatches]
    for each in specials:
        parts.append(
            f"NaN or infinity on one side only at {each.path or 'the only tensor'}: {each.special_mismatches:,} of {each.count:,} elements"
        )
    if comparison.differences:
        parts.append(difference_table(comparison.differences))
    table = worst_table(comparison)
    if table is not None:
        parts += ["", table]
    return as_text(*parts)


def _audit(found: Audit) -> str:
    formats = ", ".join(f"{name} {count:,}" for name, count in sorted(found.formats.items(), key=lambda each: -each[1]))
    head = f"{found.ops:,} ops looked at; their results: {formats or 'no tensors'}."
    if not found.entries:
        return f"{head}\nNo promotion, no downcast, no autocast, no constant of another format, no integer that loses bits."
    return as_text(head, "", audit_table(found))


def _tolerance(found: Tolerance) -> str:
    lines = [
        found.line,
        f"Two honest {found.declared} implementations differ by more somewhere with probability {found.failure_probability:.0e}, on inputs like these.",
    ]
    if len(found.tensors) > 1:
        return as_text(*lines, "", tolerance_table(found))
    return as_text(*lines)
