"""Tiles: verdicts as a heat map, told by color and letter."""

from __future__ import annotations

from typing import Any

import altair as alt

from ..colors import LETTERS, VERDICT_COLORS
from ..text.matrices import ORDER
from .style import WIDTH, Columns, data

TILE, FEW = 130, 5
"""Pixels of a tile where there are few columns, which would otherwise be stretched over the page; names of so many fit side by side."""
HEIGHT = 16
"""Pixels of a row."""


def verdict_tiles(
    datasets: dict[str, Columns], name: str, rows: dict[str, list[Any]], *, down: str, across: str, nothing: str, tooltip: list[Any]
) -> tuple[Any, dict[str, int]]:
    """The chart, and the height and the width that it needs.

    Args:
        datasets: gets the data. name: of the chart. rows: its columns, of which "verdict" holds verdicts and "" for none.
        down, across: the columns of the two axes, in the order in which names come first. nothing: the words for no verdict.
        tooltip: the columns that are shown of a tile.
    """
    verdicts = rows["verdict"]
    names = [verdict for verdict in reversed(ORDER) if verdict in verdicts]
    scale = alt.Scale(domain=[verdict or nothing for verdict in names], range=[VERDICT_COLORS[verdict] for verdict in names])
    shown = {**rows, "verdict": [verdict or nothing for verdict in verdicts], "letter": [LETTERS[verdict] for verdict in verdicts]}
    base = alt.Chart(data(datasets, name, shown))
    columns, lines = (list(dict.fromkeys(rows[axis])) for axis in (across, down))
    x = alt.X(
        f"{across}:N",
        sort=columns,
        title=None,
        axis=alt.Axis(orient="top", labelAngle=-50 if len(columns) > FEW else 0, labelLimit=180),
    )
    y = alt.Y(f"{down}:N", sort=lines, title=None)
    color = alt.Color("verdict:N", scale=scale, legend=alt.Legend(orient="bottom", title=None, columns=4))
    tiles = base.mark_rect(stroke="white", strokeWidth=1).encode(x=x, y=y, color=color, tooltip=tooltip)
    letters = base.mark_text(color="black", fontSize=10, fontWeight="bold").encode(x=x, y=y, text="letter:N")
    chart = alt.layer(tiles.properties(name=f"{name}_tiles"), letters.properties(name=f"{name}_letters"))
    return chart, {"height": HEIGHT * len(lines), **({"width": TILE * len(columns)} if len(columns) * TILE < WIDTH else {})}
