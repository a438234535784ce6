"""The walk along a model: what each op adds itself beside all that has gathered, with the origin marked."""

from __future__ import annotations

from typing import Any

import altair as alt

from ...origins.origin import Origin
from .style import ACTUAL, HEIGHT, MARK, NOISE, Columns, Sketch, data, finished, log_scale, rounded


def walk_columns(origin: Origin) -> dict[str, list[Any]]:
    """The points of the walk as columns, in order."""
    walk = origin.walk
    return {
        "place": list(range(len(walk))),
        "module": [point.module or "(outermost)" for point in walk],
        "op": [_op(point.op, point.output) for point in walk],
        "phase": [point.phase for point in walk],
        "call": [point.call for point in walk],
        "total": [rounded(point.total) for point in walk],
        "inherited": [rounded(point.inherited) for point in walk],
        "added": [rounded(point.added) for point in walk],
        "in_noise": [rounded(point.added_in_noise) for point in walk],
        "excess": [rounded(point.excess) for point in walk],
        "counterpart": [point.counterpart for point in walk],
        "verdict": [point.verdict.name if point.verdict is not None else "-" for point in walk],
        "note": [point.note for point in walk],
        "source": [point.source for point in walk],
    }


def _op(op: str, output: int) -> str:
    name = op.removeprefix("aten.").rpartition(".")[0] or op
    return f"{name} [{output}]" if output else name


def walk_chart(origin: Origin, name: str = "walk") -> Sketch:
    """Relative differences along the walk, logarithmic: gathered as a line, added as points; a rule where it starts.

    Below lies the whole walk: a part that is marked there with the mouse is shown above.
    """
    datasets: dict[str, Columns] = {}
    columns = walk_columns(origin)
    chosen = alt.selection_interval(encodings=["x"], name=f"{name}_chosen", value={"x": [0, max(1, len(origin.walk) - 1)]})
    start = next((place for place, point in enumerate(origin.walk) if origin.is_start(point)), None)
    rows = data(datasets, name, columns)
    y = alt.Y("added:Q", title="relative difference (rms)", scale=log_scale(nice=False), axis=alt.Axis(format=".0e", tickCount=6))
    x = alt.X(
        "place:Q",
        title="op, in the order in which they ran",
        scale=alt.Scale(domain=chosen, nice=False, zero=False),
        axis=alt.Axis(tickMinStep=1),
    )
    tooltip = [
        "module:N", "op:N", "phase:N", alt.Tooltip("total:Q", format=".3~g"), alt.Tooltip("inherited:Q", format=".3~g"),
        alt.Tooltip("added:Q", format=".3~g"), alt.Tooltip("excess:Q", title="times the limit", format=".3~g"), "verdict:N",
    ]  # fmt: skip
    gathered = (
        alt.Chart(rows, name=f"{name}_gathered").transform_filter("datum.total > 0").mark_line(color=NOISE, strokeWidth=1.5)
        .encode(x=x, y=alt.Y("total:Q", scale=log_scale(nice=False)))
    )  # fmt: skip
    beyond = "datum.verdict !== 'ROUNDING' && datum.verdict !== 'IDENTICAL' && datum.verdict !== '-'"
    color: Any = {"condition": {"test": beyond, "value": MARK}, "value": ACTUAL}
    points = (
        alt.Chart(rows, name=f"{name}_added").transform_filter("datum.added > 0").mark_circle(size=26, opacity=0.75, clip=True)
        .encode(x=x, y=y, color=color, tooltip=tooltip)
    )  # fmt: skip
    layers = [gathered, points]
    if start is not None:
        where = data(datasets, f"{name}_start", {"place": [start], "words": ["it starts here"]})
        layers.append(alt.Chart(where, name=f"{name}_rule").mark_rule(color=MARK, strokeDash=[4, 3]).encode(x=x))
        layers.append(
            alt.Chart(where, name=f"{name}_mark")
            .mark_text(color=MARK, align="left", dx=5, clip=True)
            .encode(x=x, y=alt.value(10), text="words:N")
        )
    upper = alt.layer(*layers).properties(width="container", height=HEIGHT)
    lower = (
        alt.Chart(rows, name=f"{name}_all").transform_filter("datum.total > 0").mark_line(color=NOISE, strokeWidth=1)
        .encode(x=alt.X("place:Q", title="all of it", scale=alt.Scale(nice=False, domain=[0, max(1, len(origin.walk) - 1)])), y=alt.Y("total:Q", title=None, scale=log_scale(nice=False), axis=None))
        .add_params(chosen).properties(width="container", height=46)
    )  # fmt: skip
    words = f"{len(origin.walk)} values along the model. " + (
        f"It starts at value {start}, in {origin.walk[start].module or 'the outermost module'}."
        if start is not None
        else "Nothing adds more than rounding."
    )
    chart = alt.vconcat(upper, lower, spacing=8)
    return finished(
        chart,
        datasets,
        title="What each op adds (points), and what has gathered (line)",
        description=f"Points and a line on a logarithmic axis. {words}",
    )
