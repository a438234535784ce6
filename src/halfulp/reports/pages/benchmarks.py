"""The page of a benchmark: what each checker said, from which magnitude on changes are seen, every outcome."""

from __future__ import annotations

from collections import Counter
from functools import partial

from ...sweeps.benchmark import Benchmark
from ...words.numbers import counted
from ..charts.benchmarks import confusion_chart, confusion_columns, detection_chart, detection_columns, limit_chart, limit_columns
from ..text.benchmarks import TRUTH, benchmark_answer, by_part
from .page import Column, Columns, Figure, Number, Page, Pairs, Part, Section, Table
from .tables import columns_of

LARGEST = 8000


def benchmark_page(benchmark: Benchmark) -> Page:
    """The page of a benchmark."""
    datasets: dict[str, Columns] = {
        "figures": columns_of(((name, figure.value, figure.unit) for name, figure in benchmark.figures.items()), "figure", "value", "unit")
    }
    sections: list[Section] = []
    if benchmark.outcomes:
        datasets["confusion"] = confusion_columns(benchmark)
        caption = (
            "How often each checker is right, grouped by the truth about each pair. Where the truth is rounding, a "
            "wrong answer is a false alarm; where it is a mistake, a wrong answer is a miss."
        )
        columns = (
            Column("checker", "checker"),
            Column("truth", "truth"),
            Column("said", "said"),
            Column("count", "pairs", True),
            Column("right", "right"),
        )
        parts: list[Part] = [
            Figure("confusion", partial(confusion_chart, benchmark), "Right and wrong", caption),
            Table("confusion", "What each checker said", columns),
        ]
        sections.append(Section("confusion", "What each checker said", tuple(parts)))
    if benchmark.limits:
        datasets["limits"] = limit_columns(benchmark)
        caption = "One thing is changed in one op. The chart shows the smallest change that is rejected in 95 of 100 draws of the inputs, in units of u (half an ulp of 1 in that precision)."
        names = {"op": "op", "precision": "precision", "fault": "fault", "checker": "checker"}
        columns = (*(Column(name, title) for name, title in names.items()), Column("limit", "smallest seen, in u", True))
        figure = Figure("limits", partial(limit_chart, benchmark), "Limits", caption)
        sections.append(Section("limits", "The smallest fault that is seen", (figure, Table("limits", "Every op and precision", columns))))
    if any(outcome.get("part") == "detection" for outcome in benchmark.outcomes):
        datasets["detection"] = detection_columns(benchmark)
        columns = (
            Column("mutant", "change"),
            Column("magnitude", "magnitude", True),
            Column("checker", "checker"),
            Column("caught", "share caught", True),
        )
        caption = "One thing is changed in a single call inside a model. The chart shows the share of models in which the change is caught, against its magnitude."
        sections.append(
            Section(
                "detection",
                "The magnitude above which changes are detected",
                (
                    Figure("detection", partial(detection_chart, benchmark), "Detection", caption),
                    Table("detection", "Every kind of change and magnitude", columns),
                ),
            )
        )
    sections.append(
        Section(
            "figures",
            "All figures",
            (
                Table(
                    "figures",
                    "Every figure",
                    (Column("figure", "figure", is_code=True), Column("value", "value", True), Column("unit", "unit")),
                ),
            ),
        )
    )
    if benchmark.outcomes:
        sections.append(Section("wrong", "What halfulp got wrong", tuple(_wrong(benchmark, datasets))))
    environment = tuple(
        (f"{section}: {name}", value) for section, entries in benchmark.fingerprint.sections.items() for name, value in entries.items()
    )
    sections.append(Section("environment", "Where it ran", (Pairs("Machine, versions and settings", environment),), is_open=False))
    parts_right = by_part(benchmark)
    first, (right, count) = next(iter(parts_right.items()), ("", (Counter[str](), 0)))
    return Page(
        "benchmark",
        "How often is the verdict right?",
        f"halfulp is right about {right['halfulp']:,} of {count:,} {first}"
        if benchmark.outcomes
        else f"{counted(len(benchmark.figures), 'figure')}",
        "plain",
        benchmark_answer(benchmark),
        tuple(Number(f"{right['halfulp']:,} of {count:,}", f"right: {name}") for name, (right, count) in list(parts_right.items())[:3]),
        (),
        tuple(sections),
        datasets,
    )


def _wrong(benchmark: Benchmark, datasets: dict[str, Columns]) -> list[Part]:
    wrong = [outcome for outcome in benchmark.outcomes if outcome["said"].get("halfulp") is not TRUTH[outcome["kind"]]]
    datasets["wrong"] = columns_of(
        ((entry.get("part", "-"), entry.get("pair", "-"), entry["kind"], entry.get("verdict", "-"), entry.get("reason", "")) for entry in wrong[:LARGEST]),
        "part", "pair", "kind", "verdict", "reason",
    )  # fmt: skip
    columns = (
        Column("part", "part"),
        Column("pair", "pair"),
        Column("kind", "truth"),
        Column("verdict", "verdict"),
        Column("reason", "why it said so"),
    )
    return [Table("wrong", f"{counted(len(wrong), 'pair')}", columns)]
