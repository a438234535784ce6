"""What the results come to: shares, costs, and each answer that was wrong."""

from __future__ import annotations

import statistics
from typing import Any

Result = dict[str, Any]
PARTS = ("one layer", "norm in", "rotary", "keys or values")  # what is reduced where not all of a model is
ABOVE_MS = 1.0  # a shorter forward of a model costs less than what a check does in Python beside it


def share(results: list[Result], good: Any) -> float:
    return sum(map(bool, map(good, results))) / len(results) if results else float("nan")


def pairs_of_forwards(results: list[Result]) -> list[float]:
    return [sum(result["calls"]) / 2 for result in results if result.get("calls") and result["forward_ms"] / 2 > ABOVE_MS]


def _spread(figures: dict[str, tuple[float, str]], name: str, values: list[float], unit: str) -> None:
    if values:
        figures[f"{name}_median"] = (statistics.median(values), unit)
        figures[f"{name}_worst"] = (max(values), unit)


def figures_of(results: list[Result]) -> dict[str, tuple[float, str]]:
    figures: dict[str, tuple[float, str]] = {}
    honest = [result for result in results if result["kind"] == "honest"]
    faults = [result for result in results if result["kind"] == "fault"]
    seen = [result for result in faults if not result.get("too_small")]
    reduced = [result for result in results if result["kind"] == "reduced"]
    figures["honest_pairs"] = (len(honest), "pairs")
    figures["honest_rejected"] = (sum(result.get("acceptable") is False for result in honest), "pairs")
    figures["honest_undecided"] = (sum(result.get("acceptable", 0) is None for result in honest), "pairs")
    figures["failed"] = (sum("error" in result for result in results), "pairs")
    figures["faults"] = (len(faults), "pairs")
    figures["faults_too_small"] = (len(faults) - len(seen), "pairs")
    figures["faults_rejected"] = (share(seen, lambda result: result.get("acceptable") is False), "share")
    figures["faults_accepted"] = (sum(result.get("acceptable") is True for result in seen), "pairs")
    figures["modules_named"] = (share(seen, lambda result: result.get("named")), "share")
    figures["reduced_precision_pairs"] = (len(reduced), "pairs")
    figures["reduced_precision_rejected"] = (share(reduced, lambda result: result.get("acceptable") is False), "share")
    figures["reduced_precision_named"] = (share(reduced, is_named), "share")
    groups = {
        "accepted": [result for result in results if result.get("acceptable") is True],
        "rejected": [result for result in faults if result.get("acceptable") is False],
        "reduced_precision": [result for result in reduced if result.get("acceptable") is False],
        "whole_reduced_precision": [result for result in reduced if result.get("acceptable") is False and is_whole(result)],
    }
    for name, group in groups.items():
        _spread(figures, f"forward_pairs_{name}", pairs_of_forwards(group), "forward_pairs")
        _spread(
            figures,
            f"time_{name}",
            [result["times_forward"] for result in group if result["forward_ms"] / 2 > ABOVE_MS],
            "times_a_pair_of_forwards",
        )
    ran = [result for result in results if "seconds" in result]
    _spread(figures, "check_seconds", [result["seconds"] for result in ran], "s")
    if ran:  # the median says little: a process that has checked before takes what it gave back
        figures["check_peak_worst"] = (max(result["peak_mb"] for result in ran), "MB")
    _spread(figures, "locate_seconds", [result["locate_seconds"] for result in results if "locate_seconds" in result], "s")
    return figures


def is_whole(result: Result) -> bool:
    """Whether all of a model computes or is stored in the format."""
    return not any(part in result["name"] for part in PARTS)


def is_named(result: Result) -> bool:
    """Whether a verdict is REDUCED_PRECISION and says the format."""
    return result.get("verdict") == "REDUCED_PRECISION" and result["format"] in result["reason"].lower()


def wrong_of(results: list[Result]) -> list[str]:
    """A line for each answer that is not what the truth says."""
    lines = []
    for result in results:
        if "error" in result:
            lines.append(f"FAILED {result['name']}: {result['error'].splitlines()[0]}")
        elif result["kind"] == "honest" and result["acceptable"] is not True:
            lines.append(f"honest, {result['verdict']}: {result['name']}: {result['reason']}")
        elif result["kind"] == "fault" and not result["too_small"] and result["acceptable"] is not False:
            lines.append(f"fault (effect {result['effect']:.1e}), {result['verdict']}: {result['name']}: {result['reason']}")
        elif result["kind"] == "reduced" and not is_named(result):
            lines.append(f"{result['format']}, {result['verdict']}: {result['name']}: {result['reason']}")
        if result.get("named") is False and not result.get("too_small"):
            lines.append(
                f"located at {result['module']!r} ({result['located']}), truth {result['truth']!r}: {result['name']}: {result.get('located_because', '')}"
            )
    return lines
