"""Single elements: each error beside the noise of rounding there."""

from __future__ import annotations

import math
from typing import Any

import altair as alt
import numpy as np

from ...verdicts.closeup import Closeup
from ...words.numbers import counted, verb
from .style import ACTUAL, HEIGHT, LIMIT, MARK, NOISE, Columns, Sketch, data, finished, log_scale, rounded

LABELLED = 3


def element_columns(closeup: Closeup) -> dict[str, list[Any]]:
    """The listed elements as columns: index, both values, error, noise, and the error in units of the noise."""
    indices = [np.unravel_index(place, _stored_shape(closeup)) for place in closeup.places]
    noise = list(closeup.noise) or [float("nan")] * len(closeup.places)
    reference = list(closeup.reference) or list(closeup.expected)
    digits = 17 if closeup.dtype in ("float64", "complex128") else 9  # that tell two numbers of the format apart
    errors = [_apart(one, two) for one, two in zip(closeup.actual, reference)]
    return {
        "index": ["[" + ", ".join(str(int(part)) for part in index) + "]" for index in indices],
        "actual": [rounded(value, digits) for value in closeup.actual],
        "expected": [rounded(value, digits) for value in closeup.expected],
        "error": [rounded(error) for error in errors],
        "noise": [None if math.isnan(value) else rounded(value) for value in noise],
        "in_noise": [_ratio(error, spread) for error, spread in zip(errors, noise)],
    }


def _stored_shape(closeup: Closeup) -> tuple[int, ...]:
    return (*closeup.shape, 2) if closeup.dtype.startswith("complex") else closeup.shape


def _apart(one: float, two: float) -> float:
    return 0.0 if one == two else abs(one - two)


def _ratio(error: float, spread: float) -> float | str | None:
    """Error over noise; "infinite" where rounding moves nothing and there is an error."""
    if math.isnan(spread) or math.isnan(error):
        return None
    ratio = 0.0 if error == 0 else error / spread if spread else math.inf
    return rounded(ratio) if math.isfinite(ratio) else "infinite"


def error_against_noise(closeup: Closeup, name: str = "elements") -> Sketch:
    """Error against noise, both logarithmic, with the line where they are equal and the limit of correct rounding.

    Args:
        closeup: of an output whose noise was sampled. name: of the dataset.
    """
    datasets: dict[str, Columns] = {}
    columns = element_columns(closeup)
    smallest = min((item for item in columns["noise"] if item), default=1.0)
    kept = [place for place, (error, noise) in enumerate(zip(columns["error"], columns["noise"])) if error and noise is not None]
    shown = {key: [values[place] for place in kept] for key, values in columns.items()}
    still = [not item for item in shown["noise"]]  # where rounding moves nothing: drawn at the left edge
    shown["noise"] = [item or 0.5 * smallest for item in shown["noise"]]
    sizes = [math.inf if isinstance(item, str) else item or 0.0 for item in shown["in_noise"]]
    ranked = sorted(range(len(kept)), key=lambda place: -sizes[place])[:LABELLED]
    shown["label"] = [shown["index"][place] if place in ranked else "" for place in range(len(kept))]
    over = [edge or (closeup.limit is not None and size > closeup.limit) for size, edge in zip(sizes, still)]
    shown["beyond"] = over
    ends = [min(shown["noise"], default=1.0), max(shown["noise"], default=1.0)]
    ends = [ends[0] * 0.8, ends[1] * 1.25]
    x = alt.X(
        "noise:Q",
        title="how far rounding moves this element (noise)",
        scale=log_scale(nice=False),
        axis=alt.Axis(format=".0e", tickCount=6),
    )
    y = alt.Y("error:Q", title="error of actual", scale=log_scale(nice=False), axis=alt.Axis(format=".0e", tickCount=8))
    tooltip = [
        alt.Tooltip("index:N"), alt.Tooltip("actual:Q", format=".9~g"), alt.Tooltip("expected:Q", format=".9~g"),
        alt.Tooltip("error:Q", format=".3~g"), alt.Tooltip("in_noise:N", title="in noise"),
    ]  # fmt: skip
    points = (
        alt.Chart(data(datasets, name, shown), name=f"{name}_points")
        .mark_circle(size=28, opacity=0.65)
        .encode(
            x=x, y=y, color=alt.Color("beyond:N", scale=alt.Scale(domain=[True, False], range=[MARK, ACTUAL]), legend=None), tooltip=tooltip
        )
    )
    labels = (
        alt.Chart(data(datasets, name, shown), name=f"{name}_labels")
        .transform_filter("datum.label != ''")
        .mark_text(align="left", dx=6, dy=-6)
        .encode(
            x=x, y=y, text="label:N", color=alt.Color("beyond:N", scale=alt.Scale(domain=[True, False], range=[MARK, ACTUAL]), legend=None)
        )
    )
    lines = [_line(datasets, f"{name}_equal", ends, 1.0, NOISE, "error = noise")]
    if closeup.limit is not None:
        lines.append(_line(datasets, f"{name}_limit", ends, closeup.limit, LIMIT, "limit of a correct implementation"))
    beyond = sum(size > closeup.limit for size in sizes) if closeup.limit is not None else 0
    words = f"Of {counted(closeup.count, 'element')}, {len(kept)} with an error {verb(len(kept), 'are')} shown; {beyond} {verb(beyond, 'lie')} above the limit of a correct implementation."
    if any(still):
        words += f" {sum(still)} {verb(sum(still), 'lie')} at the left edge, where rounding moves nothing."
    return finished(
        alt.layer(*lines, points, labels),
        datasets,
        title="Error against the noise of rounding",
        description=f"Scatter plot on logarithmic axes. {words}",
        height=HEIGHT + 60,
    )


def _line(datasets: dict[str, Columns], name: str, ends: list[float], times: float, color: str, words: str) -> Any:
    rows = data(
        datasets, name, {"noise": [rounded(end) for end in ends], "error": [rounded(end * times) for end in ends], "words": [words] * 2}
    )
    line = alt.Chart(rows, name=f"{name}_line").mark_line(color=color, strokeDash=[5, 4]).encode(x="noise:Q", y="error:Q")
    label = (
        alt.Chart(rows, name=f"{name}_label").transform_filter(f"datum.noise >= {rounded(ends[1])!r}").mark_text(align="right", dy=-8, color=color)
        .encode(x="noise:Q", y="error:Q", text="words:N")
    )  # fmt: skip
    return alt.layer(line, label, name=name)
