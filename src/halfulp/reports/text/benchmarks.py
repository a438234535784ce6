"""A benchmark as text: its figures."""

from __future__ import annotations

from collections import Counter

from ...sweeps.benchmark import Benchmark
from .tables import as_text, plain_table
from .wording import number


def benchmark_text(found: Benchmark) -> str:
    """How often each checker was right, and every figure."""
    table = plain_table("figure", "value", "unit")
    for name, each in found.figures.items():
        table.add_row(name, number(each.value, 4), each.unit)
    return as_text(benchmark_answer(found), "", table)


def benchmark_answer(found: Benchmark) -> str:
    """How often each checker said the truth."""
    if not found.outcomes:
        return f"{len(found.figures)} figures, no single outcomes."
    right = rights(found)
    words = ", ".join(f"{name} {right[name]:,}" for name in sorted(right, key=lambda each: -right[each]))
    return f"Right in {len(found.outcomes):,} pairs: {words}."


TRUTH = {"rounding": True, "mistake": False, "undecided": None}


def rights(found: Benchmark) -> Counter[str]:
    """How many outcomes each checker has right."""
    right: Counter[str] = Counter()
    for each in found.outcomes:
        for name, said in each["said"].items():
            right[name] += said is TRUTH[each["kind"]]
    return right
