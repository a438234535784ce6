"""How often halfulp is right on the labelled pairs, beside what people use today, in the same run.

Called by `halfulp bench verdicts`. Outcomes can be kept as they come (--resume FILE), so an interrupted run goes on where it stopped.
"""

from __future__ import annotations

import contextlib
import json
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import torch
from rich.console import Console
from rich.progress import Progress, TimeRemainingColumn
from rich.table import Table

import halfulp

from . import PAIRS, Pair
from .figures import report_figures

Outcome = dict[str, Any]
CHECKERS = ("halfulp", "assert_close", "numpy.allclose", "dynamo same")


def _tensors(result: Any) -> list[torch.Tensor]:
    return list(result) if isinstance(result, (tuple, list)) else [result]


def _copies(inputs: Any, dtype: torch.dtype | None = None) -> list[Any]:
    copied = [each.clone() if isinstance(each, torch.Tensor) else each for each in inputs]
    return [each.to(dtype) if dtype and isinstance(each, torch.Tensor) and each.is_floating_point() else each for each in copied]


def _passes(comparison: Callable[[], object]) -> bool:
    """Whether a checker accepts: it returns a true value or None, and raises nothing."""
    try:
        return comparison() is not False
    except Exception:
        return False


def peers(pair: Pair, seed: int) -> dict[str, bool]:
    """What the checkers of today say to the outputs: True for accepted. All with their defaults."""
    from torch._dynamo.utils import same

    actual, expected, inputs = pair.make(seed)
    ours, theirs = _tensors(actual(*_copies(inputs))), _tensors(expected(*_copies(inputs)))
    try:
        exact = _tensors((pair.reference or expected)(*_copies(inputs, torch.float64)))
    except Exception:  # no reference in float64: the rule without one
        exact = None
    return {
        "assert_close": _passes(lambda: torch.testing.assert_close(ours, theirs)),
        "numpy.allclose": _passes(lambda: all(np.allclose(a.float().numpy(), b.float().numpy()) for a, b in zip(ours, theirs))),
        "dynamo same": _passes(lambda: bool(same(theirs, ours, fp64_ref=exact, log_error=lambda *_, **__: None))),
    }


def outcome(pair: Pair, seed: int) -> Outcome:
    """What each checker says to one pair."""
    actual, expected, inputs = pair.make(seed)
    start = time.perf_counter()
    result = halfulp.check(actual, expected, inputs, declared=pair.declared, reference=pair.reference)
    seconds = time.perf_counter() - start
    said = {"halfulp": result.acceptable, **peers(pair, seed)}
    return {
        "pair": pair.name,
        "seed": seed,
        "kind": pair.kind,
        "tags": list(pair.tags),
        "verdict": result.verdict.name,
        "reason": result.reason,
        "seconds": seconds,
        "said": said,
    }


def is_right(each: Outcome, checker: str) -> bool:
    """Whether a checker accepted a rounding pair or rejected a mistake; undecided counts as wrong."""
    return bool(each["said"][checker] is (each["kind"] == "rounding"))


def figures_of(outcomes: list[Outcome]) -> dict[str, tuple[float, str]]:
    """Accuracy, false alarms and misses of every checker."""
    found: dict[str, tuple[float, str]] = {}
    for checker in CHECKERS:
        name = checker.replace(".", "_").replace(" ", "_")
        wrong = [each for each in outcomes if not is_right(each, checker)]
        found[f"verdicts_accuracy_{name}"] = (1.0 - len(wrong) / len(outcomes), "ratio")
        found[f"verdicts_false_alarms_{name}"] = (sum(each["kind"] == "rounding" for each in wrong), "pairs")
        found[f"verdicts_misses_{name}"] = (sum(each["kind"] == "mistake" for each in wrong), "pairs")
    alarms = [each for each in outcomes if each["kind"] == "rounding" and not is_right(each, "halfulp") and "ambiguous" not in each["tags"]]
    found["verdicts_false_alarms_halfulp_unambiguous"] = (len(alarms), "pairs")
    return found


def _kept(resume: Path | None) -> dict[tuple[str, int], Outcome]:
    if resume is None or not resume.is_file():
        return {}
    stored = [json.loads(line) for line in resume.read_text().splitlines() if line.strip()]
    version = halfulp.__version__
    return {(each["pair"], each["seed"]): each for each in stored if each.get("version") == version}


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def run(*, json_file: Path | None = None, seeds: int = 1, resume: Path | None = None) -> int:
    """Run all pairs, print the table, the wrong ones and the figures.

    Returns:
        0; 130 when interrupted (what was done is in `resume`, if given).
    """
    kept = _kept(resume)
    outcomes: list[Outcome] = []
    jobs = [(pair, seed) for seed in range(seeds) for pair in PAIRS]
    console = Console(stderr=True)
    try:
        with _quiet(), Progress(*Progress.get_default_columns()[:-1], TimeRemainingColumn(), console=console, transient=True) as progress:
            for pair, seed in progress.track(jobs, description="pairs"):
                found = kept.get((pair.name, seed)) or outcome(pair, seed)
                outcomes.append(found)
                if resume is not None and (pair.name, seed) not in kept:
                    with resume.open("a") as file:
                        file.write(json.dumps({**found, "version": halfulp.__version__}) + "\n")
    except KeyboardInterrupt:
        where = f"kept in {resume}: the same command goes on from there" if resume else "lost: give --resume FILE to keep them"
        console.print(f"interrupted after {len(outcomes)} of {len(jobs)} pairs; they are {where}")
        return 130
    _print_table(outcomes)
    figures = figures_of(outcomes)
    report_figures(figures, json_file, outcomes=outcomes)
    return 0


def _print_table(outcomes: list[Outcome]) -> None:
    figures = figures_of(outcomes)
    table = Table(
        "checker", "accuracy", "false alarms", "misses", title=f"{len(outcomes)} labelled pairs, all checkers with their defaults"
    )
    for checker in CHECKERS:
        name = checker.replace(".", "_").replace(" ", "_")
        row = [figures[f"verdicts_{what}_{name}"][0] for what in ("accuracy", "false_alarms", "misses")]
        table.add_row(checker, f"{row[0]:.3f}", f"{row[1]:.0f}", f"{row[2]:.0f}")
    Console().print(table)
    for checker in CHECKERS:
        wrong = [each for each in outcomes if not is_right(each, checker)]
        if wrong:
            print(f"wrong, {checker}: {', '.join(dict.fromkeys(each['pair'] for each in wrong))}")
    for each in outcomes:
        if not is_right(each, "halfulp"):
            print(f"  {each['pair']} ({each['kind']}, seed {each['seed']}): {each['verdict']}. {each['reason']}")
