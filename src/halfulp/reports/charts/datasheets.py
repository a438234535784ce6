"""Largest ulp error of each function in each format."""

from __future__ import annotations

import math
from typing import Any

import altair as alt

from ...datasheets import Datasheet
from .style import ACTUAL, EXPECTED, LIMIT, MARK, NOISE, Columns, Sketch, data, finished, log_scale, rounded

COLORS = {"float32": ACTUAL, "float64": EXPECTED, "bfloat16": LIMIT, "float16": NOISE}


def accuracy_columns(sheet: Datasheet) -> dict[str, list[Any]]:
    """Every function and format as columns."""
    found = sheet.accuracies
    return {
        "function": [accuracy.function for accuracy in found],
        "format": [accuracy.format for accuracy in found],
        "inputs": [accuracy.inputs for accuracy in found],
        "exhaustive": ["all" if accuracy.is_exhaustive else "some" for accuracy in found],
        "ulps": [rounded(accuracy.max_ulp_error) for accuracy in found],
        "at": [rounded(accuracy.worst_input, 9) for accuracy in found],
        "rating": [accuracy.rating.value if accuracy.rating is not None else "-" for accuracy in found],
        "misrounded": [rounded(accuracy.not_correctly_rounded) for accuracy in found],
        "specials": [accuracy.special_mismatches for accuracy in found],
        "tail": [rounded(accuracy.tail_differs) if accuracy.tail_differs is not None else None for accuracy in found],
    }


def ulp_chart(sheet: Datasheet, name: str = "accuracies") -> Sketch:
    """A point for each function and format, worst functions first; the rule at 0.5 is the best there is."""
    datasets: dict[str, Columns] = {}
    columns = accuracy_columns(sheet)
    kept = [place for place, ulps in enumerate(columns["ulps"]) if ulps is not None and ulps > 0 and math.isfinite(ulps)]
    shown = {key: [values[place] for place in kept] for key, values in columns.items()}
    worst: dict[str, float] = {}
    for function, ulps in zip(shown["function"], shown["ulps"]):
        worst[function] = max(worst.get(function, 0.0), ulps)
    order = sorted(worst, key=lambda word: (-worst[word], word))
    formats = [word for word in COLORS if word in shown["format"]]
    base = alt.Chart(data(datasets, name, shown), name=f"{name}_points")
    points = base.mark_point(filled=True, size=45, opacity=0.85).encode(
        x=alt.X("ulps:Q", title="largest error in ulps", scale=log_scale(nice=False), axis=alt.Axis(format="~g", tickCount=6)),
        y=alt.Y("function:N", sort=order, title=None),
        color=alt.Color(
            "format:N",
            scale=alt.Scale(domain=formats, range=[COLORS[candidate] for candidate in formats]),
            legend=alt.Legend(orient="top", title=None),
        ),
        shape=alt.Shape("format:N", scale=alt.Scale(domain=formats, range=["circle", "square", "diamond", "triangle-up"][: len(formats)])),
        tooltip=[
            "function:N",
            "format:N",
            alt.Tooltip("ulps:Q", format=".4~g"),
            alt.Tooltip("at:Q", title="at input"),
            "exhaustive:N",
            "rating:N",
        ],
    )
    rule = (
        alt.Chart(data(datasets, f"{name}_best", {"ulps": [0.5]}), name=f"{name}_rule")
        .mark_rule(color=MARK, strokeDash=[4, 3])
        .encode(x="ulps:Q")
    )
    top = f"The largest error, in ulps, is {worst[order[0]]:.3g}, for {order[0]}." if order else ""
    return finished(
        alt.layer(rule, points),
        datasets,
        title="Largest error of each function",
        description=f"Points by function on a logarithmic axis. {top}",
        height=max(80, 14 * len(order)),
    )
