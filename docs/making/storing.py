"""Results that take too long for the site's build, made small enough to be kept: python docs/making/storing.py RESULT.json ...

Of a matrix one size of each op is kept, of a benchmark the reasons of what was wrong. What is left reads like any other result.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[1] / "results"


def of_matrix(stored: dict[str, Any]) -> dict[str, Any]:
    """With the sizes that are in the middle."""
    kept = [
        {
            key: float(f"{value:.4g}") if isinstance(value, float) else value
            for key, value in each.items()
            if value != "" or key == "verdict"
        }
        for each in stored["results"]
        if each["size"] == "medium"
    ]
    families = {name: found for name, found in stored["families"].items() if " medium " in name}
    return {**stored, "results": kept, "families": families}


def of_benchmark(stored: dict[str, Any]) -> dict[str, Any]:
    """Without what is not shown."""
    from halfulp.reports.text.benchmarks import TRUTH

    kept = []
    for each in stored["outcomes"]:
        is_right = each["said"].get("halfulp") is TRUTH[each["kind"]]
        kept.append({key: value for key, value in each.items() if key != "seconds" and not (is_right and key == "reason")})
    return {**stored, "outcomes": kept}


SMALLER = {"matrix": of_matrix, "benchmark": of_benchmark}

if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name in sys.argv[1:]:
        found = json.loads(Path(name).read_text(encoding="utf-8"))
        text = json.dumps(SMALLER[found["kind"]](found), separators=(",", ":"))
        (FOLDER / f"{found['kind']}.json").write_text(text + "\n", encoding="utf-8")
        print(FOLDER / f"{found['kind']}.json", f"{len(text) / 1e6:.2f} MB")
