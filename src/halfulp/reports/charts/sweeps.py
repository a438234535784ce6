"""A sweep: the worst verdict of each subject, and how many cases each run flagged."""

from __future__ import annotations

import altair as alt

from ...sweeps.swept import Swept
from ...words.numbers import counted
from .style import ACTUAL, Columns, Sketch, data, finished, rounded
from .tiles import verdict_tiles


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


SUBJECTS = 60
"""Subjects that the map of verdicts shows, the worst first; the table has all."""


def subjects_chart(found: Swept, name: str = "subjects") -> Sketch:
    """A tile for each subject and each way in which it was checked: the worst verdict of its cases."""
    datasets: dict[str, Columns] = {}
    chosen = list(dict.fromkeys(each.subject for each in found.subjects))[:SUBJECTS]
    shown = [each for each in found.subjects if each.subject in set(chosen)]
    rows = {
        "subject": [each.subject for each in shown],
        "way": [", ".join(filter(None, (f"{each.actual} against {each.expected}", each.dtype, each.environment))) for each in shown],
        "verdict": [each.worst_verdict for each in shown],
        "cases": [each.cases for each in shown],
        "flagged": [each.flagged for each in shown],
        "excess": [None if each.worst_excess is None else rounded(each.worst_excess) for each in shown],
    }
    tooltip = [
        "subject:N",
        "way:N",
        "verdict:N",
        "cases:Q",
        alt.Tooltip("flagged:Q", title="not acceptable"),
        alt.Tooltip("excess:Q", title="times the limit", format=".3~g"),
    ]
    chart, size = verdict_tiles(datasets, name, rows, down="subject", across="way", nothing="no verdict", tooltip=tooltip)
    bad = sum(bool(each.flagged) for each in shown)
    words = f"{counted(len(chosen), 'subject')}; {counted(bad, 'tile')} with cases that are not acceptable."
    return finished(chart, datasets, title="The worst verdict of each subject", description=f"Heat map. {words}", **size)
