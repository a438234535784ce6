"""What all charts share: names of their own (Altair counts otherwise, and the same result would draw differently twice), sizes, scales."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import altair as alt

WIDTH = 640
HEIGHT = 300
ACTUAL, EXPECTED, NOISE, LIMIT, MARK = "#1f6feb", "#b35900", "#6e7781", "#8250df", "#cf222e"
"""Colors with a contrast of at least 3 to 1 against white and against #0d1117, as WCAG 2.2 (1.4.11) asks of graphics."""

Columns = dict[str, list[Any]]
"""A dataset: column -> values, all of one length."""


@dataclass(frozen=True)
class Sketch:
    """A chart beside its data: Altair checks and copies data that stands in a chart, which takes seconds for thousands of rows.

    Attributes:
        chart: an Altair chart that names its datasets. datasets: those.
    """

    chart: Any
    datasets: dict[str, Columns]

    def completed(self) -> Any:
        """The chart with its data inside."""
        whole = self.chart.copy(deep=False)
        whole.datasets = {name: rows_of(columns) for name, columns in self.datasets.items()}
        return whole


def rows_of(columns: Columns) -> list[dict[str, Any]]:
    """Columns as rows."""
    return [dict(zip(columns, row)) for row in zip(*columns.values())]


def data(datasets: dict[str, Columns], name: str, columns: Columns) -> alt.NamedData:
    """A dataset of that name, put among the others of a chart."""
    datasets[name] = columns
    return alt.NamedData(name=name)


def log_scale(**options: Any) -> alt.Scale:
    """A logarithmic scale."""
    return alt.Scale(type="log", **options)


def rounded(value: float, digits: int = 4) -> float | None:
    """Few digits are enough for a place on a screen; what is not finite is left out."""
    return float(f"{value:.{digits}g}") if abs(value) < float("inf") else None


def finished(chart: Any, datasets: dict[str, Columns], *, title: str, description: str, **sizes: Any) -> Sketch:
    """The chart with its title, words for those who can't see it, and its size (that of a page's column where none is given)."""
    return Sketch(chart.properties(title=title, description=description, **sizes), datasets)
