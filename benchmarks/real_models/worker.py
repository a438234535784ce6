"""Runs pairs that are named on its standard input, one a line, and prints what came out as a line of JSON: python -m benchmarks.real_models.worker

A process of its own, so that a crash, a hang or a leak of one pair is that pair's result and nobody else's.
"""

from __future__ import annotations

import copy
import functools
import json
import os
import statistics
import sys
import threading
import time
import traceback
import warnings
from pathlib import Path
from typing import Any

import torch
from torch import nn

import halfulp
from halfulp.noise.tape import Tape

from .effect import TOO_SMALL, called, effect
from .pair import PAIRS, Pair, Sides


def resident_bytes() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


class Peak:
    """The most memory that this process held since it was made, beyond what it held then."""

    def __init__(self) -> None:
        self.start = self.most = resident_bytes()
        self._ended = threading.Event()
        self._watcher = threading.Thread(target=self._watch, daemon=True)
        self._watcher.start()

    def _watch(self) -> None:
        while not self._ended.wait(0.005):
            self.most = max(self.most, resident_bytes())

    def beyond_mb(self) -> float:
        self._ended.set()
        self._watcher.join()
        return (self.most - self.start) / 1e6


COUNTS = {"actual": 0, "expected": 0}


def count_what_is_played() -> None:
    """A pass that is played from a tape is a pass, too."""
    play = Tape.play

    @functools.wraps(play)
    def counted_play(self: Tape, *args: Any, **kwargs: Any) -> Any:
        COUNTS["expected"] += 1
        return play(self, *args, **kwargs)

    Tape.play = counted_play


def counted(side: Any, role: str) -> tuple[Any, bool]:
    """A side whose calls are counted, also those of its copies in other precisions, and whether they can be."""
    if isinstance(side, torch.fx.GraphModule) or type(side).__name__ == "OptimizedModule":
        return side, False
    if isinstance(side, nn.Module):
        base = type(side)

        @functools.wraps(base.forward)
        def forward(self: nn.Module, *args: Any, **kwargs: Any) -> Any:
            COUNTS[role] += 1
            return base.forward(self, *args, **kwargs)

        side.__class__ = type(
            base.__name__,
            (base,),
            {"forward": forward, "__module__": base.__module__, "__qualname__": base.__qualname__, "__doc__": base.__doc__},
        )
        return side, True

    @functools.wraps(side)
    def call(*args: Any, **kwargs: Any) -> Any:
        COUNTS[role] += 1
        return side(*args, **kwargs)

    return call, True


def forward_seconds(sides: Sides) -> float:
    """One forward of both sides: the median of ten."""
    times = []
    with torch.no_grad():
        for turn in range(12):
            start = time.perf_counter()
            called(sides.actual, copy.deepcopy(sides.inputs))
            called(sides.expected, copy.deepcopy(sides.inputs))
            if turn >= 2:
                times.append(time.perf_counter() - start)
    return statistics.median(times)


def named(module: str | None, pair: Pair) -> bool:
    """Whether a locator's answer is the module that was changed, or one inside it."""
    if module is None or pair.truth is None:
        return False
    return any(module == truth or (truth != "" and module.startswith(truth + ".")) for truth in (pair.truth, *pair.also))


def run(pair: Pair) -> dict[str, Any]:
    result: dict[str, Any] = {
        "name": pair.name,
        "kind": pair.kind,
        "architecture": pair.architecture,
        "truth": pair.truth,
        "format": pair.format,
    }
    sides = pair.make()
    if pair.kind == "fault":
        result["effect"], result["effect_in"] = effect(sides)
        result["too_small"] = result["effect"] < TOO_SMALL
    result["forward_ms"] = 1000 * forward_seconds(sides)
    actual, first = counted(sides.actual, "actual")
    expected, second = counted(sides.expected, "expected")
    COUNTS.update(actual=0, expected=0)
    peak, start = Peak(), time.perf_counter()
    found = halfulp.check(actual, expected, sides.inputs, declared=sides.declared, gradients=sides.gradients)
    result["seconds"] = time.perf_counter() - start
    result["peak_mb"] = peak.beyond_mb()
    result["calls"] = [COUNTS["actual"], COUNTS["expected"]] if first and second else None
    result["times_forward"] = 1000 * result["seconds"] / result["forward_ms"]
    result |= {
        "verdict": found.verdict.name,
        "acceptable": found.acceptable,
        "reason": found.reason,
        "because": [str(part) for part in found.because],
    }
    if pair.kind in ("fault", "reduced") and pair.truth is not None:
        start = time.perf_counter()
        try:
            again = pair.make()
            origin = halfulp.locate(again.actual, again.expected, again.inputs, gradients=again.gradients)
            result |= {
                "module": origin.module,
                "op": origin.op,
                "located": origin.verdict.name,
                "located_because": origin.because,
                "named": named(origin.module, pair),
            }
        except Exception as error:
            result |= {"module": None, "located": "ERROR", "located_because": f"{type(error).__name__}: {error}"[:600], "named": False}
        result["locate_seconds"] = time.perf_counter() - start
    return result


def main() -> None:
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    import diffusers
    import transformers

    transformers.logging.set_verbosity_error()
    diffusers.logging.set_verbosity_error()
    from . import faults, honest, reduced  # noqa: F401

    count_what_is_played()
    layer, x = nn.Linear(64, 64), torch.randn(4, 64)
    for side in (lambda x: torch.relu(layer(x) + 1e-3), lambda x: torch.relu((x[:, :, None] * layer.weight.T).sum(1) + layer.bias)):
        halfulp.check(side, lambda x: torch.relu(layer(x)), (x,))  # what is loaded and compiled once

    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what libraries print is no answer
    for line in sys.stdin:
        pair = PAIRS[line.strip()]
        try:
            result = run(pair)
        except Exception as error:
            trace = traceback.format_exc()
            result = {
                "name": pair.name,
                "kind": pair.kind,
                "architecture": pair.architecture,
                "truth": pair.truth,
                "error": f"{type(error).__name__}: {error}"[:1500],
                "trace": trace[-3000:],
            }
        answers.write(json.dumps(result) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
