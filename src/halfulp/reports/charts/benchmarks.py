"""How often each checker is right, and from which magnitude on it sees a change."""

from __future__ import annotations

from typing import Any

import altair as alt

from ...sweeps.benchmark import Benchmark
from ...words.numbers import counted
from ..text.benchmarks import TRUTH
from .style import ACTUAL, EXPECTED, HEIGHT, LIMIT, MARK, NOISE, Columns, Sketch, data, finished, log_scale, rounded

COLORS = (ACTUAL, EXPECTED, LIMIT, NOISE, MARK)


def confusion_columns(benchmark: Benchmark) -> dict[str, list[Any]]:
    """For each checker and truth how many pairs it accepted, rejected and left open."""
    counts: dict[tuple[str, str, str], int] = {}
    for outcome in benchmark.outcomes:
        if outcome.get("part") == "detection":
            continue
        for checker, said in outcome["said"].items():
            key = (checker, outcome["kind"], {True: "accepted", False: "rejected", None: "left open"}[said])
            counts[key] = counts.get(key, 0) + 1
    keys = sorted(counts, key=lambda key: (key[0] != "halfulp", key))
    return {
        "checker": [entry[0] for entry in keys],
        "truth": [entry[1] for entry in keys],
        "said": [entry[2] for entry in keys],
        "count": [counts[entry] for entry in keys],
        "right": [TRUTH[entry[1]] is {"accepted": True, "rejected": False, "left open": None}[entry[2]] for entry in keys],
    }


def confusion_chart(benchmark: Benchmark, name: str = "confusion") -> Sketch:
    """Bars by checker and truth: what was said, right answers and wrong ones apart."""
    datasets: dict[str, Columns] = {}
    rows = confusion_columns(benchmark)
    scale = alt.Scale(domain=[True, False], range=[ACTUAL, MARK])
    chart = (
        alt.Chart(data(datasets, name, rows), name=f"{name}_bars")
        .mark_bar()
        .encode(
            x=alt.X("count:Q", title="pairs", stack="normalize", axis=alt.Axis(format="%")),
            y=alt.Y("checker:N", sort=list(dict.fromkeys(rows["checker"])), title=None),
            row=alt.Row("truth:N", title="truth"),
            color=alt.Color("right:N", scale=scale, legend=alt.Legend(orient="top", title="right")),
            order=alt.Order("right:N", sort="descending"),
            tooltip=["checker:N", "truth:N", "said:N", "count:Q"],
        )
    )
    wrong = sum(count for count, right, checker in zip(rows["count"], rows["right"], rows["checker"]) if not right and checker == "halfulp")
    words = f"halfulp is wrong about {counted(wrong, 'pair')}."
    return finished(
        chart, datasets, title="What each checker said", description=f"Bars. {words}", width=480, height=24 * len(set(rows["checker"]))
    )


def limit_columns(benchmark: Benchmark) -> dict[str, list[Any]]:
    """The smallest fault that each checker sees, by op, precision and kind of fault; what it does not see at all is left out."""
    rows = [
        (limit.op, limit.precision, limit.fault, checker, rounded(value))
        for limit in benchmark.limits
        for checker, value in limit.in_u.items()
        if value is not None
    ]
    names = ("op", "precision", "fault", "checker", "limit")
    return {name: [row[place] for row in rows] for place, name in enumerate(names)}


def _checkers(rows: Columns) -> tuple[list[Any], alt.Scale]:
    """Halfulp first, the others by name, and their colors."""
    checkers = list(dict.fromkeys(sorted(rows["checker"], key=lambda item: (item != "halfulp", item))))
    return checkers, alt.Scale(domain=checkers, range=[COLORS[place % len(COLORS)] for place in range(len(checkers))])


def limit_chart(benchmark: Benchmark, name: str = "limits") -> Sketch:
    """A tick for each op at the smallest fault that is seen, by checker; a row for each kind of fault, a column for each precision."""
    datasets: dict[str, Columns] = {}
    rows = limit_columns(benchmark)
    checkers, scale = _checkers(rows)
    chart = (
        alt.Chart(data(datasets, name, rows), name=f"{name}_ticks")
        .mark_tick(thickness=2, opacity=0.6)
        .encode(
            x=alt.X(
                "limit:Q", title="smallest fault that is seen, in u", scale=log_scale(nice=False), axis=alt.Axis(format="~s", tickCount=4)
            ),
            y=alt.Y("checker:N", sort=checkers, title=None),
            color=alt.Color("checker:N", scale=scale, legend=None),
            row=alt.Row("fault:N", title=None),
            column=alt.Column("precision:N", title=None),
            tooltip=["op:N", "precision:N", "fault:N", "checker:N", "limit:Q"],
        )
    )
    words = f"{counted(len(benchmark.limits), 'limit')} of {counted(len(checkers), 'checker')}."
    return finished(
        chart, datasets, title="The smallest fault that is seen", description=f"Ticks. {words}", width=150, height=18 * len(checkers)
    )


def detection_columns(benchmark: Benchmark) -> dict[str, list[Any]]:
    """The share of mutants that each checker rejects, by kind of mutant and magnitude."""
    caught: dict[tuple[str, str, float], list[bool]] = {}
    for outcome in benchmark.outcomes:
        if outcome.get("part") == "detection":
            for checker, said in outcome["said"].items():
                caught.setdefault((checker, outcome["mutation"], float(outcome["magnitude"])), []).append(said is False)
    keys = sorted(caught, key=lambda key: (key[1], key[0] != "halfulp", key))
    return {
        "checker": [key[0] for key in keys],
        "mutant": [key[1] for key in keys],
        "magnitude": [rounded(key[2]) for key in keys],
        "caught": [rounded(sum(caught[key]) / len(caught[key])) for key in keys],
    }


def detection_chart(benchmark: Benchmark, name: str = "detection") -> Sketch:
    """Curves: the share of changed models that is caught, over the magnitude of the change, a panel for each kind of change."""
    datasets: dict[str, Columns] = {}
    rows = detection_columns(benchmark)
    checkers, scale = _checkers(rows)
    chart = (
        alt.Chart(data(datasets, name, rows), name=f"{name}_lines")
        .mark_line(point=True)
        .encode(
            x=alt.X("magnitude:Q", title="magnitude", scale=log_scale(nice=False), axis=alt.Axis(format=".0e", tickCount=4)),
            y=alt.Y("caught:Q", title="caught", axis=alt.Axis(format="%")),
            color=alt.Color("checker:N", scale=scale, legend=alt.Legend(orient="top", title=None)),
            strokeDash=alt.StrokeDash("checker:N", scale=alt.Scale(domain=checkers)),
            facet=alt.Facet("mutant:N", columns=3, title=None),
            tooltip=["checker:N", "mutant:N", "magnitude:Q", alt.Tooltip("caught:Q", format=".0%")],
        )
    )
    words = f"Changes of {counted(len(set(rows['mutant'])), 'kind')}, judged by {counted(len(checkers), 'checker')}."
    return finished(
        chart,
        datasets,
        title="The magnitude above which a change is detected",
        description=f"Line charts. {words}",
        width=190,
        height=HEIGHT // 2,
    )
