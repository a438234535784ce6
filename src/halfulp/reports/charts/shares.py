"""How much of a difference each cause explains."""

from __future__ import annotations

import altair as alt

from ...causes.cause import Explanation
from .style import ACTUAL, Columns, Sketch, data, finished, rounded

EXPERIMENTS = 12


def share_chart(explanation: Explanation, name: str = "shares") -> Sketch:
    """Bars: the share of the difference that goes away with each cause; without causes, with what was tried."""
    datasets: dict[str, Columns] = {}
    bars = [(cause.name, cause.share, f"confidence {cause.confidence}") for cause in explanation.causes]
    if not bars:
        best: dict[str, float] = {}
        for experiment in explanation.experiments:
            if experiment.share is not None:
                best[experiment.name] = max(best.get(experiment.name, 0.0), experiment.share)
        bars = [(label, share, "tried") for label, share in sorted(best.items(), key=lambda item: (-item[1], item[0]))[:EXPERIMENTS]]
    rows = {
        "cause": [bar[0] for bar in bars],
        "share": [rounded(min(1.0, max(0.0, bar[1]))) for bar in bars],
        "note": [bar[2] for bar in bars],
    }
    base = alt.Chart(data(datasets, name, rows))
    y = alt.Y("cause:N", sort=None, title=None, axis=alt.Axis(labelLimit=240))
    x = alt.X("share:Q", title="share of the difference that goes away", axis=alt.Axis(format="%"), scale=alt.Scale(domain=[0, 1]))
    tooltip = ["cause:N", alt.Tooltip("share:Q", format=".1%"), "note:N"]
    chart = alt.layer(
        base.mark_bar(color=ACTUAL).encode(x=x, y=y, tooltip=tooltip).properties(name=f"{name}_bars"),
        base.mark_text(align="left", dx=4).encode(x=x, y=y, text=alt.Text("share:Q", format=".0%")).properties(name=f"{name}_labels"),
    )
    words = "; ".join(f"{label}: {share:.0%}" for label, share, _ in bars) or "nothing was tried"
    return finished(
        chart, datasets, title="What explains the difference", description=f"Bar chart. {words}.", height=max(60, 30 * len(bars))
    )
