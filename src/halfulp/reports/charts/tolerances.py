"""What a tolerance is made of: what elements of each size need, and the line of rtol and atol above them."""

from __future__ import annotations

import altair as alt
import numpy as np

from ...remedies import Need, StoredTensorTolerance
from .style import ACTUAL, HEIGHT, LIMIT, Columns, Sketch, data, finished, log_scale, rounded

STEPS = 64
"""Points of the line, which bends on logarithmic axes."""


def drawable(tensor: StoredTensorTolerance) -> list[Need]:
    """What a logarithmic axis has room for."""
    return [need for need in tensor.needs if 0.0 < need.size < np.inf and 0.0 < need.reach < np.inf]


def tolerance_chart(tensor: StoredTensorTolerance, name: str = "needs") -> Sketch:
    """Points: how far apart two correct implementations may be, over the size of the element; the line is atol + rtol |expected|."""
    datasets: dict[str, Columns] = {}
    shown = drawable(tensor)
    needs, allowed = "needed by elements of this size", f"atol + rtol |expected| (rtol={tensor.rtol:g}, atol={tensor.atol:g})"
    sizes = np.array([need.size for need in shown])
    line = np.geomspace(sizes.min(), sizes.max(), STEPS) if len(sizes) > 1 else sizes
    points = {
        "size": [rounded(size) for size in sizes],
        "reach": [rounded(need.reach) for need in shown],
        "of": [needs] * len(sizes),
    }
    limits = {
        "size": [rounded(float(size)) for size in line],
        "reach": [rounded(tensor.atol + tensor.rtol * float(size)) for size in line],
        "of": [allowed] * len(line),
    }
    color = alt.Color(
        "of:N",
        scale=alt.Scale(domain=[needs, allowed], range=[ACTUAL, LIMIT]),
        legend=alt.Legend(orient="top", title=None, labelLimit=500),
    )
    x = alt.X("size:Q", title="|expected|", scale=log_scale(nice=False), axis=alt.Axis(tickCount=6, format="~g"))
    y = alt.Y("reach:Q", title="difference", scale=log_scale(), axis=alt.Axis(tickCount=6, format="~g"))
    tooltip = [alt.Tooltip("size:Q", title="|expected|", format=".3~g"), alt.Tooltip("reach:Q", title="difference", format=".3~g")]
    chart = alt.layer(
        alt.Chart(data(datasets, f"{name}_limit", limits))
        .mark_line(strokeWidth=1.5)
        .encode(x=x, y=y, color=color)
        .properties(name=f"{name}_line"),
        alt.Chart(data(datasets, name, points))
        .mark_point(filled=True, size=50)
        .encode(x=x, y=y, color=color, tooltip=tooltip)
        .properties(name=f"{name}_points"),
    )
    largest = max(shown, key=lambda need: need.reach / (tensor.atol + tensor.rtol * need.size or 1.0))
    words = f"The line is closest to what elements of about {largest.size:.2g} need: {largest.reach:.2g}."
    return finished(
        chart,
        datasets,
        title="What the tolerance is made of",
        description=f"Points below a line on logarithmic axes. {words}",
        height=HEIGHT,
    )
