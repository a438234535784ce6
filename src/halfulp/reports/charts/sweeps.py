"""How many cases each run of a sweep flagged."""

from __future__ import annotations

import altair as alt

from ...sweeps.swept import Swept
from .style import ACTUAL, Columns, Sketch, data, finished


def trend_chart(found: Swept, name: str = "trend") -> Sketch:
    """Points joined by a line: flagged cases of each run, the oldest first."""
    datasets: dict[str, Columns] = {}
    runs = list(reversed(found.runs))
    rows = {
        "run": [run.run for run in runs],
        "versions": [run.versions for run in runs],
        "flagged": [run.flagged for run in runs],
        "cases": [run.cases for run in runs],
    }
    chart = (
        alt.Chart(data(datasets, name, rows), name=f"{name}_line")
        .mark_line(point=True, color=ACTUAL)
        .encode(
            x=alt.X("run:N", sort=None, title="run", axis=alt.Axis(labelLimit=140)),
            y=alt.Y("flagged:Q", title="cases not acceptable", scale=alt.Scale(zero=True)),
            tooltip=["run:N", "versions:N", "flagged:Q", "cases:Q"],
        )
    )
    words = "; ".join(f"{run.run}: {run.flagged} of {run.cases}" for run in runs)
    return finished(chart, datasets, title="Cases not acceptable, run by run", description=f"Line chart. {words}.")
