"""Mean error along an axis beside what rounding causes there, and the map of the error over the last two axes."""

from __future__ import annotations

import altair as alt

from ...verdicts.closeup import Heat, Profile
from ...words.numbers import verb
from .style import ACTUAL, NOISE, Columns, Sketch, data, finished, rounded


def profile_chart(profile: Profile, name: str = "profile") -> Sketch:
    """The mean of error / noise at each index of an axis, inside the band of its null distribution.

    A mean is judged to be a pattern at four bands (`verdicts/evidence/patterns.py`).
    """
    datasets: dict[str, Columns] = {}
    rows = {
        "index": list(profile.indices),
        "mean": [rounded(mean) for mean in profile.means],
        "low": [rounded(-value) for value in profile.band],
        "high": [rounded(value) for value in profile.band],
    }
    base = alt.Chart(data(datasets, name, rows))
    x = alt.X(
        "index:Q",
        title=f"index along axis {profile.axis}",
        scale=alt.Scale(nice=False, zero=False),
        axis=alt.Axis(format="d", tickMinStep=1),
    )
    band = (
        base.mark_area(color=NOISE, opacity=0.3, interpolate="step")
        .encode(x=x, y=alt.Y("low:Q", title="mean error, in units of the noise"), y2="high:Q")
        .properties(name=f"{name}_band")
    )
    tooltip = [alt.Tooltip("index:Q"), alt.Tooltip("mean:Q", format=".3~g"), alt.Tooltip("high:Q", title="rounding", format=".3~g")]
    means = base.mark_circle(color=ACTUAL, size=30, opacity=0.9).encode(x=x, y="mean:Q", tooltip=tooltip).properties(name=f"{name}_means")
    outside = sum(abs(mean) > band for mean, band in zip(profile.means, profile.band))
    drawn = "the one mean that is" if len(profile.means) == 1 else f"the {len(profile.means)} means that are"
    words = f"{outside} of {drawn} drawn {verb(outside, 'lie')} outside the band that rounding explains."
    return finished(
        alt.layer(band, means),
        datasets,
        title=f"Mean error along axis {profile.axis}",
        description=f"Points over a band. {words}",
        height=180,
    )


def residual_map(heat: Heat, name: str = "map") -> Sketch:
    """Rms of error / noise over the last two axes."""
    datasets: dict[str, Columns] = {}
    cells = [(row, column) for row in range(heat.rows) for column in range(heat.columns)]
    rows = {
        "row": [row * heat.row_step for row, _ in cells],
        "column": [column * heat.column_step for _, column in cells],
        "value": [rounded(value) for value in heat.values],
    }
    chart = (
        alt.Chart(data(datasets, name, rows), name=f"{name}_tiles")
        .mark_rect()
        .encode(
            x=alt.X("column:O", title="last axis", axis=alt.Axis(labelOverlap=True, labelAngle=0)),
            y=alt.Y("row:O", title="axis before it", axis=alt.Axis(labelOverlap=True)),
            color=alt.Color("value:Q", title="in noise", scale=alt.Scale(scheme="viridis", domainMin=0)),
            tooltip=[
                alt.Tooltip("row:O"),
                alt.Tooltip("column:O"),
                alt.Tooltip("value:Q", title="rms error, in units of the noise", format=".3~g"),
            ],
        )
    )
    words = f"Rms error in units of the noise over {heat.rows} by {heat.columns} tiles; the largest is {max(heat.values, default=0.0):.3g}."
    return finished(chart, datasets, title="Where the error is", description=f"Heat map. {words}", height=min(420, 60 + 8 * heat.rows))
