"""A place as text: where a difference begins, what each side does there, and which arguments are not the same."""

from __future__ import annotations

from rich.console import RenderableType
from rich.table import Table

from ...origins.place import OpCall, Place, op_in

SHOWN = 6
"""Ops of each side that are shown: those before the value that differs. JSON has all."""


def place_in_words(place: Place) -> str:
    """Which op, in which module, in which line of each side."""
    lines = {
        side: calls[-1].source for side, calls in (("expected", place.expected), ("actual", place.actual)) if calls and calls[-1].source
    }
    is_one = len(lines) == 2 and len(set(lines.values())) == 1  # both sides run that line
    where = place.source if is_one or not lines else ", ".join(f"{side}: {line}" for side, line in lines.items())
    return f"{op_in(short(place.op), place.module)}{f' ({where})' if where else ''}"


def differing_in_words(place: Place) -> str:
    """The arguments that are not the same, in a sentence; "" for none."""
    if not place.differing:
        return ""
    return f"{'; '.join(f'{name} is {here} in actual and {there} in expected' for name, here, there in place.differing)}."


def place_rows(place: Place) -> list[tuple[str, str, str, str]]:
    """(side, op, arguments, line) of the last ops of each side."""
    found: list[tuple[str, str, str, str]] = []
    for side in ("expected", "actual"):
        calls = place.calls(side)
        left_out = len(calls) - SHOWN
        if left_out > 0:
            found.append((side, f"... {left_out} more before these", "", ""))
        found += [(side, short(call.op), _arguments(call), call.source) for call in calls[-SHOWN:]]
    return found


def place_lines(place: Place) -> list[RenderableType]:
    """What each side does there, as a table, and what differs."""
    rows = place_rows(place)
    if not rows:
        return []
    table = Table(box=None, pad_edge=False)
    for name in ("side", "op", "arguments", "line"):
        table.add_column(name, overflow="fold")
    for row in rows:
        table.add_row(*row)
    words = differing_in_words(place)
    return ["", "What each side computes there, from the last values that both share:", table, *([words] if words else [])]


def short(op: str) -> str:
    """An op without namespace and overload."""
    parts = op.split(".")
    return parts[1] if len(parts) > 2 else op


def _arguments(call: OpCall) -> str:
    return ", ".join(f"{name}={text}" for name, text in call.arguments)
