"""The worst inputs as text: how bad, which, and what a check says of them."""

from __future__ import annotations

from ...sweeps.worst_inputs import Argument, Worst
from ...words.numbers import counted, number, times_of
from .checks import ACCEPTABLE, check_text
from .tables import as_text, plain_table

SHOWN = 6
"""Numbers of an argument that are printed."""


def worst_text(found: Worst, form: str) -> str:
    """The answer alone, or with the inputs and the whole check."""
    if form in ("answer", "reason", "assertion"):
        return worst_answer(found)
    table = plain_table("argument", "dtype", "shape", "first numbers")
    for argument in found.arguments:
        table.add_row(argument.name, argument.dtype, "x".join(map(str, argument.shape)), first_numbers(argument))
    return as_text(worst_answer(found), "", table, "", "What halfulp check says of these inputs:", "", check_text(found.result, "full"))


def worst_answer(found: Worst) -> str:
    """The verdict there, and how bad it is."""
    verdict = found.result.verdict
    stopped = "" if found.complete else " The search was interrupted."
    return f"{verdict.name}: {verdict.meaning} ({ACCEPTABLE[found.acceptable]}) on the worst inputs found.\n{how_bad(found)}{stopped}"


def how_bad(found: Worst) -> str:
    """How bad the inputs are, how they came about, and how many were tried."""
    there = (
        "Something changes there that rounding can't change"
        if found.excess == float("inf")
        else f"The error there is {_limits(found.excess)}"
    )
    given = "" if found.label == "the given inputs" else f"; on the given inputs the error is {_limits(found.given_excess)}"
    reduced = " They were then made smaller and simpler." if found.reduced else ""
    alone = f", {found.refused_alone:,} by `actual` alone (the first: {found.refusal})" if found.refused_alone else ""
    refused = f"; {found.refused:,} of them could not be run{alone}" if found.refused else ""
    return f"{there}{given}. The inputs: {found.label}.{reduced} {counted(found.evaluations, 'input')} {'was' if found.evaluations == 1 else 'were'} tried in {found.seconds:.0f} s{refused}."


def first_numbers(argument: Argument) -> str:
    """The first numbers of an argument, or what else it is."""
    if not argument.dtype:
        return argument.text
    more = len(argument.first) > SHOWN or (argument.first == () and bool(argument.data))
    return ", ".join([*(f"{value:.9g}" for value in argument.first[:SHOWN]), *(["..."] if more else [])])


def _limits(excess: float) -> str:
    if excess == float("inf"):
        return "larger than any rounding error"
    return (
        f"{times_of(excess)} the limit of a correct implementation"
        if excess > 1
        else f"{number(excess)} of the limit of a correct implementation"
    )
