"""Ulp histogram: how many elements are how many steps apart."""

from __future__ import annotations

import altair as alt

from ...differences import Difference
from ...words.numbers import counted, verb
from .style import ACTUAL, Columns, Sketch, data, finished


def ulp_histogram(difference: Difference, name: str = "ulps") -> Sketch:
    """Bars over 0, 1, 2, 3 to 4, 5 to 8 ... steps, on a logarithmic axis of counts."""
    datasets: dict[str, Columns] = {}
    edges = [upper for upper, _ in difference.ulp_histogram]
    rows = {
        "bin": [_bin_words(upper) for upper in edges],
        "count": [count for _, count in difference.ulp_histogram],
    }
    unit = "ulps" if difference.ulp_format != "integer" else "steps"
    chart = (
        alt.Chart(data(datasets, name, rows), name=f"{name}_bars")
        .mark_bar(color=ACTUAL)
        .encode(
            x=alt.X("bin:O", sort=None, title=f"{unit} apart ({difference.ulp_format})", axis=alt.Axis(labelAngle=0, labelOverlap=True)),
            y=alt.Y("count:Q", scale=alt.Scale(type="symlog"), title="elements", axis=alt.Axis(format="~s", tickCount=6)),
            tooltip=[alt.Tooltip("bin:O", title=unit), alt.Tooltip("count:Q", format=",")],
        )
    )
    words = f"{difference.unequal} of {counted(difference.count, 'element')} {verb(difference.unequal, 'differ')}, by up to {difference.max_ulps} {unit if difference.max_ulps != 1 else unit[:-1]}."
    return finished(chart, datasets, title=f"How many {unit} apart", description=f"Bar chart. {words}", height=220)


def _bin_words(upper: int) -> str:
    if upper <= 2:
        return str(upper)
    low = upper // 2 + 1
    return f"{_short(low)}-{_short(upper)}"


def _short(count: int) -> str:
    return str(count) if count < 10_000 else f"2^{count.bit_length() - 1}"
