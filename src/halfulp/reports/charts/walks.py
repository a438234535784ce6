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
        "module": [each.module or "(outermost)" for each in walk],
        "op": [_op(each.op, each.output) for each in walk],
        "phase": [each.phase for each in walk],
        "call": [each.call for each in walk],
        "total": [rounded(each.total) for each in walk],
        "inherited": [rounded(each.inherited) for each in walk],
        "added": [rounded(each.added) for each in walk],
        "in_noise": [rounded(each.added_in_noise) for each in walk],
        "excess": [rounded(each.excess) for each in walk],
        "counterpart": [each.counterpart for each in walk],
        "verdict": [each.verdict.name if each.verdict is not None else "-" for each in walk],
        "note": [each.note for each in walk],
        "source": [each.source for each in walk],
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
    start = next((place for place, each in enumerate(origin.walk) if origin.is_start(each)), None)
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
        alt.Tooltip("added:Q", format=".3~g"), alt.Tooltip("excess:Q", title="of the limit", format=".3~g"), "verdict:N",
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
