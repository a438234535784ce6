"""The walk along a model: what each op adds itself beside all that has gathered, with the origin marked."""

from __future__ import annotations

from typing import Any

import altair as alt

from ...origins.origin import Origin, Point
from ...origins.place import op_in
from ...words.numbers import counted
from .style import ACTUAL, HEIGHT, LIMIT, MARK, NOISE, Columns, Sketch, data, finished, log_scale, rounded


def walk_columns(origin: Origin) -> dict[str, list[Any]]:
    """The points of the walk as columns, in order."""
    walk = origin.walk
    return {
        "nr": list(range(1, len(walk) + 1)),
        "module": [point.module or "(outermost)" for point in walk],
        "op": [_op(point.op, point.output) for point in walk],
        "phase": [point.phase for point in walk],
        "call": [point.call for point in walk],
        "total": [rounded(point.total) for point in walk],
        "inherited": [rounded(point.inherited) for point in walk],
        "added": [rounded(point.added) for point in walk],
        "in_noise": [rounded(point.added_in_noise) for point in walk],
        "excess": [rounded(point.excess) for point in walk],
        "limit": [_limit(point) for point in walk],
        "counterpart": [point.counterpart for point in walk],
        "verdict": [point.verdict.name if point.verdict is not None else "-" for point in walk],
        "note": [point.note for point in walk],
        "source": [point.source for point in walk],
    }


def _op(op: str, output: int) -> str:
    name = op.removeprefix("aten.").rpartition(".")[0] or op
    return f"{name} [{output}]" if output else name


def _limit(point: Point) -> float | None:
    """What the op may add: as large a relative difference as makes its excess 1; None where it adds nothing or no limit is known."""
    is_known = 0.0 < point.excess < float("inf") and 0.0 < point.added < float("inf")
    return rounded(point.added / point.excess) if is_known else None


HEADROOM = 4.0
"""The axis ends so many times beyond the largest value: the label stands there, and no point lies on the frame."""


def walk_chart(origin: Origin, name: str = "walk") -> Sketch:
    """Relative differences along the walk, logarithmic: gathered as a line, added as points with their limits; a rule where it starts.

    Below lies the whole walk: a part that is marked there with the mouse is shown above.
    """
    datasets: dict[str, Columns] = {}
    columns, count = walk_columns(origin), max(2, len(origin.walk))
    chosen = alt.selection_interval(encodings=["x"], name=f"{name}_chosen", value={"x": [1, count]})
    start = next((place for place, point in enumerate(origin.walk) if origin.is_start(point)), None)
    rows = data(datasets, name, columns)
    scale = log_scale(nice=False, domain=_ends(columns))
    y = alt.Y("added:Q", title="relative difference (rms)", scale=scale, axis=alt.Axis(format=".0e", tickCount=6))
    x = alt.X(
        "nr:Q", title="values, in the order in which they were computed", scale=alt.Scale(domain=chosen, nice=False, zero=False, padding=8),
        axis=alt.Axis(tickMinStep=1, format="d"),
    )  # fmt: skip
    tooltip = [
        alt.Tooltip("nr:Q", title="value"), "module:N", "op:N", "phase:N", "source:N", alt.Tooltip("total:Q", format=".3~g"),
        alt.Tooltip("inherited:Q", format=".3~g"), alt.Tooltip("added:Q", format=".3~g"), alt.Tooltip("limit:Q", format=".3~g"),
        alt.Tooltip("excess:Q", title="times the limit", format=".3~g"), "verdict:N",
    ]  # fmt: skip
    gathered = (
        alt.Chart(rows, name=f"{name}_gathered").transform_filter("datum.total > 0").mark_line(color=NOISE, strokeWidth=1.5, clip=True)
        .encode(x=x, y=alt.Y("total:Q", scale=scale))
    )  # fmt: skip
    limits = (
        alt.Chart(rows, name=f"{name}_limits").transform_filter("datum.limit > 0").mark_tick(color=LIMIT, orient="horizontal", thickness=2, size=8, clip=True)
        .encode(x=x, y=alt.Y("limit:Q", scale=scale), tooltip=tooltip)
    )  # fmt: skip
    beyond = "datum.verdict !== 'ROUNDING' && datum.verdict !== 'IDENTICAL' && datum.verdict !== '-'"
    color: Any = {"condition": {"test": beyond, "value": MARK}, "value": ACTUAL}
    points = (
        alt.Chart(rows, name=f"{name}_added").transform_filter("datum.added > 0").mark_circle(size=26, opacity=0.75, clip=True)
        .encode(x=x, y=y, color=color, tooltip=tooltip)
    )  # fmt: skip
    layers = [gathered, limits, points]
    if start is not None:
        where = data(datasets, f"{name}_start", {"nr": [start + 1], "words": ["it starts here"]})
        side: Any = {"align": "right", "dx": -5} if 2 * start > count else {"align": "left", "dx": 5}
        layers.append(alt.Chart(where, name=f"{name}_rule").mark_rule(color=MARK, strokeDash=[4, 3], clip=True).encode(x=x))
        layers.append(
            alt.Chart(where, name=f"{name}_mark").mark_text(color=MARK, baseline="top", clip=True, **side)
            .encode(x=x, y=alt.value(3), text="words:N")
        )  # fmt: skip
    upper = alt.layer(*layers).properties(width="container", height=HEIGHT)
    lower = (
        alt.Chart(rows, name=f"{name}_all").transform_filter("datum.total > 0").mark_line(color=NOISE, strokeWidth=1)
        .encode(x=alt.X("nr:Q", title="all of it", scale=alt.Scale(nice=False, domain=[1, count])), y=alt.Y("total:Q", title=None, scale=log_scale(nice=False), axis=None))
        .add_params(chosen).properties(width="container", height=46)
    )  # fmt: skip
    words = f"{counted(len(origin.walk), 'value')} along the model. " + (
        f"It starts at value {start + 1}, at {op_in(origin.walk[start].op, origin.walk[start].module)}."
        if start is not None
        else "Nothing adds more than rounding."
    )
    return finished(
        alt.vconcat(upper, lower, spacing=8), datasets,
        title="What each op adds (points), what it may add (ticks), and what has accumulated (line)",
        description=f"Points, ticks and a line on a logarithmic axis. {words}",
    )  # fmt: skip


def _ends(columns: Columns) -> list[float]:
    """The ends of the vertical axis, with room beyond what is drawn."""
    drawn = [value for key in ("total", "added", "limit") for value in columns[key] if value is not None and value > 0.0]
    return [min(drawn, default=1e-8) / HEADROOM, max(drawn, default=1.0) * HEADROOM]
