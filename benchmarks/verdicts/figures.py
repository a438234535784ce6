"""How a benchmark reports: a line `figure NAME VALUE UNIT` for each number, and a JSON file on request."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from halfulp.sweeps.benchmark import Benchmark, DetectionLimit, Figure


def report_figures(
    figures: dict[str, tuple[float, str]],
    json_file: Path | None = None,
    outcomes: Iterable[dict[str, Any]] = (),
    limits: Iterable[DetectionLimit] = (),
) -> None:
    """Print each figure on a line of its own; write them with what was found and the fingerprint of the machine as JSON if asked for."""
    for name, (value, unit) in figures.items():
        print(f"figure {name} {value:.6g} {unit}")
    if json_file is None:
        return
    from halfulp.traces import fingerprint

    named = {name: Figure(value, unit) for name, (value, unit) in figures.items()}
    json_file.write_text(Benchmark(named, fingerprint(), tuple(outcomes), tuple(limits)).to_json() + "\n", encoding="utf-8")
