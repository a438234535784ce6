"""The page of an origin: where it starts, the walk along the model, the modules as a tree."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial

from ...origins.origin import Origin, Point
from ...words.numbers import counted, number, times_of
from ..charts.walks import walk_chart, walk_columns
from ..text.origins import origin_answer, place_words
from .page import Branch, Column, Columns, Figure, Number, Page, Part, Section, Table, Tree, Words, tone_of
from .places import place_sections
from .tables import columns_of

WALK_COLUMNS = (
    Column("nr", "nr", True), Column("module", "module", is_code=True), Column("op", "op", is_code=True), Column("phase", "phase"),
    Column("total", "total", True), Column("inherited", "inherited", True), Column("added", "added", True), Column("in_noise", "added in noise", True),
    Column("excess", "times the limit", True), Column("counterpart", "found by"), Column("verdict", "verdict"), Column("note", "note"), Column("source", "line", is_code=True),
)  # fmt: skip


def origin_page(origin: Origin) -> Page:
    """The page of an origin."""
    datasets: dict[str, Columns] = {"walk": walk_columns(origin)}
    start = next((place for place, point in enumerate(origin.walk) if origin.is_start(point)), None)
    sections: list[Section] = place_sections(origin.place, datasets)
    if origin.walk:
        sections += [
            Section("walk", "Along the model", (Figure("walk", partial(walk_chart, origin), "What each op adds, and what has accumulated", _WALK),)),
            Section("modules", "The modules", (Tree("Total difference at the end of each module; the bar shows the most that one of its ops adds and is full at the limit of rounding", _tree(origin)),)),
        ]  # fmt: skip
    found = _also(origin)
    if found:
        sections.append(Section("also", "Also seen", tuple(found)))
    if origin.settings:
        datasets["settings"] = columns_of(origin.settings, "setting", "actual", "expected")
        columns = (Column("setting", "setting", is_code=True), Column("actual", "actual"), Column("expected", "expected"))
        sections.append(
            Section(
                "settings",
                "What differs between the two runs",
                (Table("settings", "Settings, versions, hardware; most likely culprits first", columns),),
            )
        )
    if origin.walk:
        marked = (start,) if start is not None else ()
        sections.append(
            Section(
                "values",
                "Every value",
                (Table("walk", "The values along the model, in order; the origin is marked", WALK_COLUMNS, marked),),
            )
        )
    return Page(
        "origin",
        "Where does it start?",
        headline(origin),
        tone_of(origin.acceptable),
        origin_answer(origin).partition("\n")[2] or origin.because,
        _numbers(origin, start),
        _steps(origin),
        tuple(sections),
        datasets,
    )


def headline(origin: Origin) -> str:
    """The answer in a few words."""
    if origin.module is None:
        return f"{origin.verdict.name}: {origin.verdict.meaning}"
    return f"{origin.verdict.name}, starting {f'in {origin.module}' if origin.module else f'at {origin.op}'}"


_WALK = (
    "Relative differences (rms) on a logarithmic axis. The line is the total that has accumulated. A point is what an op adds given its "
    "inputs on the actual side, and the tick beside it is the limit of what rounding can add there; red points are beyond their limit. Drag across part "
    "of the lower chart to zoom in on it. Values are numbered as in the table."
)


def _numbers(origin: Origin, start: int | None) -> tuple[Number, ...]:
    walk = f"value {start + 1:,} of {len(origin.walk):,}" if start is not None else f"{counted(len(origin.walk), 'value')}"
    point = origin.point
    if point is None:
        worst = max((point.excess for point in origin.walk), default=0.0)
        return (
            Number(walk, "walked"),
            Number(number(worst), "times the limit is the most that any op adds", "1 is the limit of a correct implementation"),
        )
    return (
        Number(
            number(point.added), "relative difference that this op adds", f"{times_of(point.added_in_noise)} what rounding causes there"
        ),
        Number(number(point.inherited), "relative difference that this op inherits", "the part that comes from earlier differences"),
        Number(walk, f"{point.op} ({point.phase})", point.source),
    )


def _steps(origin: Origin) -> tuple[str, ...]:
    if origin.module is None:
        return ("Nothing to do here.",) if origin.acceptable else tuple(_undecided(origin))
    where = f"module {origin.module}" if origin.module else origin.op
    cause = _cause(origin)
    scripted = (
        f"To get this op as a stand-alone script: halfulp repro {origin.operands}"
        if _is_of_traces(origin)
        else "To get this op as a stand-alone script, record both sides (halfulp record) and run: halfulp repro A.trace B.trace"
    )
    return (
        f"Compare what {where} does on both sides: constants (eps, scale), weights, layout, the kernel that runs.",
        f"To find the cause by experiment: {cause}",
        scripted,
    )


def _undecided(origin: Origin) -> Iterator[str]:
    if _is_of_traces(origin):
        yield "Record both sides with level='tensors' to see what each op adds."
    yield f"To find the cause by experiment: {_cause(origin)}"


def _cause(origin: Origin) -> str:
    return f"halfulp explain {origin.operands}" if origin.operands else "halfulp.explain(actual, expected, inputs)"


def _is_of_traces(origin: Origin) -> bool:
    return ".trace" in origin.operands


def _also(origin: Origin) -> list[Part]:
    lines = [
        f"{nonfinite.side} first produces {nonfinite.kind} at {nonfinite.op} in {nonfinite.module or '(outermost)'} ({nonfinite.phase}): {counted(nonfinite.count, 'element')}, from {'; '.join(nonfinite.inputs) or 'no inputs'}"
        for nonfinite in origin.nonfinite
    ]
    lines += [f"{place_words(point)} also adds {times_of(point.excess)} the limit" for point in origin.more[:20]]
    lines += [
        (f"{place_words(point)} amplifies the difference that it inherits by a factor of {number(point.gain)} (it is not at fault)")
        for point in origin.amplifying(5)
        if (point.gain or 0.0) > 2.0
    ]
    if origin.first_bits is not None and not origin.is_start(origin.first_bits):
        lines.append(f"Bits first differ at {place_words(origin.first_bits)}")
    if len(origin.segment) > 1:
        lines.append(
            f"These ops lie between the last value that both sides have and the first that differs: {', '.join(origin.segment[:20])}"
        )
    for side in ("actual", "expected"):
        lonely = [f"{op.removeprefix('aten.')} in {module or '(outermost)'}" for name, op, module in origin.unaligned if name == side]
        if lonely:
            lines.append(
                f"{counted(len(lonely), 'op')} of {side} {'have' if len(lonely) != 1 else 'has'} no counterpart: {', '.join(lonely[:8])}{' ...' if len(lonely) > 8 else ''}"
            )
    lines += [f"Note: {note}" for note in dict.fromkeys(origin.notes)]
    return [Words(tuple(lines), is_list=True)] if lines else []


DEPTH = 24
"""Levels of the tree; what lies deeper stays together."""


@dataclass
class _Node:
    """A module on the way to becoming a branch."""

    points: list[Point] = field(default_factory=list)
    below: dict[str, _Node] = field(default_factory=dict)


def _tree(origin: Origin) -> tuple[Branch, ...]:
    root = _Node()
    for point in origin.walk:
        node = root
        for part in point.module.split(".", DEPTH) if point.module else ():
            node = node.below.setdefault(part, _Node())
        node.points.append(point)
    at = origin.module.split(".", DEPTH) if origin.module else []
    return (_branch("(outermost)", root, at if origin.module is not None else None),)


def _branch(name: str, node: _Node, at: list[str] | None) -> Branch:
    """One module; `at` is the rest of the path to the origin where it lies in here."""
    below = tuple(_branch(word, found, at[1:] if at and at[0] == word else None) for word, found in node.below.items())
    points = [*_points(node)]
    excess = max((point.excess for point in points), default=0.0)
    total = points[-1].total if points else 0.0
    note = f"{counted(len(points), 'value')}, total {number(total, 2)}" + (", it starts here" if at == [] else "")
    return Branch(
        name,
        note,
        1.0 if math.isnan(excess) else min(1.0, excess),
        "bad" if at is not None else "",
        is_open=at is not None or name == "(outermost)",
        branches=below,
    )


def _points(node: _Node) -> list[Point]:
    found = [*node.points]
    for child in node.below.values():
        found += _points(child)
    return sorted(found, key=lambda point: point.step)
