"""An origin as text: the answer, where it starts, what amplifies, what could not be compared."""

from __future__ import annotations

from rich.console import RenderableType
from rich.table import Table

from ...origins.counterpart import MatchedBy
from ...origins.origin import Origin, Point
from ...words.numbers import counted, number, times_of
from .places import place_lines
from .tables import as_text

SHOWN_MODULES = 8
"""So many modules between which it starts are named; JSON has all."""
ROWS = 12
"""Rows of a table that is to be read, not searched; JSON has all."""


def origin_text(origin: Origin, form: str) -> str:
    """The answer alone ("answer", "reason"), or with the walk around it."""
    answer = origin_answer(origin)
    if form in ("answer", "reason", "assertion"):
        return answer
    parts: list[RenderableType] = [answer]
    if origin.place is not None:
        parts += place_lines(origin.place)
    if origin.walk:
        parts += ["", _walk_table(origin)]
    amplifying = [point for point in origin.amplifying(5) if (point.gain or 0.0) > 2.0]
    if amplifying:
        parts += ["", "Ops that amplify the difference they inherit (not at fault):"]
        parts += [f"  {place_words(point)}: {times_of(point.gain)}" for point in amplifying]
    for nonfinite in origin.nonfinite:
        parts += [
            "",
            f"{nonfinite.side} first produces {nonfinite.kind} at {nonfinite.op} in {nonfinite.module or '(outermost)'} ({nonfinite.phase}{_at(nonfinite.source)}): "
            f"{counted(nonfinite.count, 'element')}, from {'; '.join(nonfinite.inputs) or 'no inputs'}",
        ]
    if origin.settings:
        parts += ["", "Settings that differ between the two runs:"]
        parts += [f"  {name}: {actual} against {expected}" for name, actual, expected in origin.settings[:ROWS]]
    parts += _remarks(origin)
    if origin.acceptable is False and origin.operands:
        parts += ["", "Next:", f"  - To find the cause: halfulp explain {origin.operands}"]
    return as_text(*parts)


def origin_answer(origin: Origin) -> str:
    """The verdict, and where it starts."""
    acceptable = {True: "acceptable", False: "not acceptable", None: "undecided"}[origin.acceptable]
    head = f"{origin.verdict.name}: {origin.verdict.meaning} ({acceptable})"
    if origin.module is None:
        return f"{head}\n{origin.because}"
    if origin.between:
        names = [name or "the outermost module" for name in origin.between]
        inside = f" ({len(names)} modules: {', '.join(names[:SHOWN_MODULES])}{' ...' if len(names) > SHOWN_MODULES else ''})"
        seen = f"It is first seen at {origin.op} ({origin.phase}{_lines(origin)})."
        return f"{head}\nIt starts between {names[0]} and {names[-1]}{inside}: no value in between is in both runs. {seen} {origin.because}"
    if not origin.op:
        return f"{head}\n{origin.because}"
    where = f"It starts {f'in {origin.module}, ' if origin.module else ''}at {origin.op} ({origin.phase}{_lines(origin)})."
    return f"{head}\n{where} {origin.because}"


def _lines(origin: Origin) -> str:
    """The line of the op, or of both sides where they run different ones."""
    sides = (origin.place.expected, origin.place.actual) if origin.place is not None else ()
    lines = [calls[-1].source for calls in sides if calls and calls[-1].source]
    if len(lines) == 2 and lines[0] != lines[1]:
        return f", expected: {lines[0]}, actual: {lines[1]}"
    return _at(origin.source)


def _at(source: str) -> str:
    return f", {source}" if source else ""


def place_words(point: Point) -> str:
    """Module, call, op and phase."""
    call = f" (call {point.call})" if point.call else ""
    return f"{point.module or '(outermost)'}{call} {point.op} {point.phase}"


def _walk_table(origin: Origin) -> Table:
    """The neighborhood of the origin; where there is none, the points that add most."""
    table = Table(box=None, pad_edge=False)
    points = [point for point in origin.walk if point.counterpart != MatchedBy.NONE]
    place = next((place for place, point in enumerate(points) if origin.is_start(point)), None)
    if place is not None:
        chosen = points[max(0, place - ROWS // 2) : place + ROWS // 2]
    else:
        chosen = sorted(sorted(points, key=lambda point: -point.excess)[:ROWS], key=lambda point: point.step)
    has_phases = any(point.phase != "forward" for point in chosen)
    numbers = ("total", "inherited", "added", "times\nthe limit")
    for name in ("", "module", "op", *(("phase",) if has_phases else ()), *numbers, "counterpart", "verdict"):
        table.add_column(name, justify="right" if name in numbers else "left", overflow="fold", no_wrap=name in ("", *numbers))
    for point in chosen:
        table.add_row(
            ">" if origin.is_start(point) else "", point.module or "(outermost)", _op(point), *((point.phase,) if has_phases else ()), number(point.total, 2), number(point.inherited, 2),
            number(point.added, 2), number(point.excess, 2), point.counterpart, point.verdict.name if point.verdict is not None else "-",
        )  # fmt: skip
    return table


def _op(point: Point) -> str:
    """The op without namespace and overload; which output, where it has several."""
    name = point.op.removeprefix("aten.").rpartition(".")[0]
    return f"{name} [{point.output}]" if point.output else name


def _remarks(origin: Origin) -> list[RenderableType]:
    parts: list[RenderableType] = []
    if origin.more:
        parts += ["", "Later ops that add more than rounding:"]
        parts += [f"  {place_words(point)}: {times_of(point.excess)} the limit" for point in origin.more[:5]]
    if len(origin.segment) > 1:
        parts += ["", "Ops between the last value that both sides share and the first that differs:"]
        parts += [f"  {name}" for name in origin.segment[:ROWS]]
    if origin.first_bits is not None and not origin.is_start(origin.first_bits):
        parts += ["", f"Bits first differ at {place_words(origin.first_bits)}."]
    lonely = {side: [entry for entry in origin.unaligned if entry[0] == side] for side in ("actual", "expected")}
    for side, found in lonely.items():
        if found:
            names = ", ".join(f"{op.removeprefix('aten.')} in {module or '(outermost)'}" for _, op, module in found[:4])
            parts += [
                "",
                f"{counted(len(found), 'op')} of {side} {'have' if len(found) != 1 else 'has'} no counterpart: {names}{' ...' if len(found) > 4 else ''}",
            ]
    if origin.notes:
        parts += ["", *(f"Note: {note}" for note in dict.fromkeys(origin.notes))]
    return parts
