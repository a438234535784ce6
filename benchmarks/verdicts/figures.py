"""How a benchmark reports: a line `figure NAME VALUE UNIT` for each number, and a JSON file on request."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def report_figures(figures: dict[str, tuple[float, str]], json_file: Path | None = None, **details: Any) -> None:
    """Print each figure on a line of its own; write them with details and the fingerprint of the machine as JSON if asked for."""
    for name, (value, unit) in figures.items():
        print(f"figure {name} {value:.6g} {unit}")
    if json_file is None:
        return
    from halfulp.traces import fingerprint

    content = {
        "schema": 1,
        "figures": {name: {"value": value, "unit": unit} for name, (value, unit) in figures.items()},
        "fingerprint": json.loads(fingerprint().to_json()),
        **details,
    }
    json_file.write_text(json.dumps(content, indent=1) + "\n")
