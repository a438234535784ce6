"""Error against dimension, with the predicted band and the fitted slopes."""

from __future__ import annotations

from typing import Any

import altair as alt

from ...sweeps.slopes import Growth
from .style import ACTUAL, EXPECTED, HEIGHT, NOISE, Columns, Sketch, data, finished, log_scale, rounded

SIDES = (("actual", "actual_error", ACTUAL), ("expected", "expected_error", EXPECTED))


def growth_columns(growth: Growth) -> dict[str, list[Any]]:
    """The points as columns."""
    points = growth.points
    return {
        "size": [point.size for point in points],
        "seed": [point.seed for point in points],
        "verdict": [point.verdict.name for point in points],
        **{
            key: [rounded(getattr(point, key)) for point in points]
            for key in ("actual_error", "expected_error", "difference", "noise", "limit")
        },
    }


def growth_chart(growth: Growth, name: str = "growth") -> Sketch:
    """Errors over sizes on logarithmic axes; the area is what rounding causes, up to the limit of correct implementations."""
    datasets: dict[str, Columns] = {}
    points = [point for point in growth.points if point.noise > 0]
    band: dict[str, list[Any]] = {
        "size": [point.size for point in points],
        "low": [rounded(point.noise / point.limit) for point in points],
        "noise": [rounded(point.noise) for point in points],
        "high": [rounded(point.noise * point.limit) for point in points],
    }
    x = alt.X("size:Q", title="size", scale=log_scale(base=2, nice=False), axis=alt.Axis(format=",d"))
    unit = f"rms error in u of {growth.declared}"
    y = alt.Y("low:Q", title=unit, scale=log_scale(nice=False), axis=alt.Axis(tickCount=6, format="~g"))
    sides = [*((side, key, color) for side, key, color in SIDES), ("noise", "", NOISE)]
    labels = [_label(growth, side) for side, _, _ in sides]
    domain = alt.Scale(domain=labels, range=[word for _, _, word in sides])
    color = alt.Color("side:N", scale=domain, legend=alt.Legend(orient="top", title=None, labelLimit=400))
    band["side"] = [labels[-1]] * len(points)
    base = alt.Chart(data(datasets, f"{name}_band", band))
    layers: list[Any] = [
        base.mark_area(color=NOISE, opacity=0.18).encode(x=x, y=y, y2="high:Q").properties(name=f"{name}_area"),
        base.mark_line(strokeDash=[5, 4]).encode(x=x, y="noise:Q", color=color).properties(name=f"{name}_noise"),
    ]
    for (side, key, _), label in zip(sides[:-1], labels):
        layers += _side(datasets, growth, side, key, label, f"{name}_{side}", x, color)
    chart = alt.layer(*layers)
    words = (
        f"{len({point.size for point in growth.points})} size{'s' if len({point.size for point in growth.points}) != 1 else ''}. "
        + " ".join(f"{label}." for label in labels)
    )
    return finished(
        chart, datasets, title="Error against size", description=f"Points and lines over a band on logarithmic axes. {words}", height=HEIGHT
    )


def _label(growth: Growth, side: str) -> str:
    slope = growth.slope(side)
    words = "predicted noise" if side == "noise" else side
    return f"{words}: size^{slope.exponent:.2f}" if slope is not None else words


def _side(datasets: dict[str, Columns], growth: Growth, side: str, key: str, label: str, name: str, x: Any, color: Any) -> list[Any]:
    """Points and the fitted line of one side."""
    points = [point for point in growth.points if getattr(point, key) > 0]
    slope = growth.slope(side)
    rows = {
        "size": [point.size for point in points],
        "error": [rounded(getattr(point, key)) for point in points],
        "fit": [rounded(slope.factor * point.size**slope.exponent) if slope is not None else None for point in points],
        "verdict": [point.verdict.name for point in points],
        "side": [label] * len(points),
    }
    base = alt.Chart(data(datasets, name, rows))
    tooltip = ["side:N", "size:Q", alt.Tooltip("error:Q", format=".3~g"), "verdict:N"]
    shape = "circle" if side == "actual" else "diamond"
    marks = base.mark_point(filled=True, size=60, shape=shape).encode(x=x, y="error:Q", color=color, tooltip=tooltip)
    line = base.mark_line(strokeWidth=1.2).encode(x=x, y="fit:Q", color=color)
    return [marks.properties(name=f"{name}_points"), line.properties(name=f"{name}_fit")]
