"""A benchmark as text: its figures."""

from __future__ import annotations

from collections import Counter

from rich.console import RenderableType

from ...sweeps.benchmark import Benchmark
from ...words.numbers import counted, number
from .tables import as_text, plain_table


def benchmark_text(found: Benchmark) -> str:
    """How often each checker was right, and every figure."""
    parts: list[RenderableType] = [benchmark_answer(found)]
    if found.outcomes:
        shares = by_part(found)
        checkers = sorted({name for right, _ in shares.values() for name in right}, key=lambda name: (name != "halfulp", name))
        table = plain_table("right", "of", *checkers)
        for part, (right, count) in shares.items():
            table.add_row(part, f"{count:,}", *(f"{right[name]:,}" for name in checkers))
        parts += ["", table]
    figures = plain_table("figure", "value", "unit")
    for name, figure in found.figures.items():
        figures.add_row(name, number(figure.value, 4), figure.unit)
    return as_text(*parts, "", figures)


def benchmark_answer(found: Benchmark) -> str:
    """How often halfulp said the truth."""
    if found.limits:
        seen = [limit.in_u["halfulp"] for limit in found.limits if limit.in_u.get("halfulp") is not None]
        kinds = f"{counted(len(found.limits), 'fault')} in {counted(len({limit.op for limit in found.limits}), 'op')}"
        if not seen:
            return f"Of {kinds}, halfulp detects none at any magnitude."
        middle = sorted(seen)[len(seen) // 2]  # type: ignore[type-var]
        return f"Of {kinds}, halfulp detects {len(seen):,} at some magnitude; the median magnitude is {number(middle)} u (u is half an ulp of 1)."
    if not found.outcomes:
        return f"There {'is 1 summary figure' if len(found.figures) == 1 else f'are {len(found.figures)} summary figures'}, but no individual outcomes."
    words = [f"{right['halfulp']:,} of {count:,} {part}" for part, (right, count) in by_part(found).items()]
    return f"halfulp is right about {', '.join(words)}."


TRUTH = {"rounding": True, "mistake": False, "undecided": None}
PARTS = {
    "pairs": "labeled pairs",
    "honest": "honest pairs",
    "sixteen bits": "correct pairs in 16 bits",
    "models": "variants of whole models",
    "detection": "mutants with changes of every size",  # the smallest are below the rounding of the whole: nobody can be right there
}


def by_part(found: Benchmark) -> dict[str, tuple[Counter[str], int]]:
    """Part of the benchmark -> how many outcomes each checker has right, and how many there are."""
    parts: dict[str, tuple[Counter[str], int]] = {}
    for outcome in found.outcomes:
        name = PARTS.get(str(outcome.get("part", "")), "pairs")
        right, count = parts.get(name, (Counter[str](), 0))
        for checker, said in outcome["said"].items():
            right[checker] += said is TRUTH[outcome["kind"]]
        parts[name] = (right, count + 1)
    return parts
