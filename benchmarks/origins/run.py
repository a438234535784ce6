"""How many planted faults does `locate` name, and does it accuse an honest pair? python -W ignore -m benchmarks.origins.run"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from dataclasses import dataclass

import torch

import halfulp

from .faults import FAULTS, Fault
from .honest import HONEST, Honest

SHARE = 29 / 30
"""What share of the faults has to be located."""


@dataclass(frozen=True)
class Outcome:
    """What became of one pair: what was wanted and got, in words."""

    name: str
    model: str
    wanted: str
    got: str
    right: bool
    seconds: float

    def __str__(self) -> str:
        state = "right" if self.right else "WRONG"
        return f"{state}  {self.name} ({self.model}): wanted {self.wanted}, got {self.got}, {self.seconds:.1f} s"


def located(pair: Fault | Honest) -> halfulp.Origin:
    """Locate on one pair."""
    actual, expected, inputs = pair.build()
    declared = pair.declared if isinstance(pair, Honest) else None
    return halfulp.locate(actual, expected, inputs, gradients=pair.gradients, declared=declared)


def is_right(pair: Fault | Honest, origin: halfulp.Origin) -> bool:
    """Whether the module and phase of a fault were named, or nothing accused in an honest pair."""
    if isinstance(pair, Fault):
        return origin.module == pair.module and origin.phase == pair.phase and origin.acceptable is False
    return origin.module is None and origin.acceptable is True


def outcome_of(pair: Fault | Honest) -> Outcome:
    """One pair, timed; an error counts as a wrong answer."""
    torch.manual_seed(0)
    start = time.perf_counter()
    wanted = f"{pair.module or '(outermost)'} {pair.phase}" if isinstance(pair, Fault) else "nothing"
    try:
        origin = located(pair)
    except Exception as error:
        message = str(error).splitlines()[0] if str(error) else ""
        return Outcome(pair.name, pair.model, wanted, f"{type(error).__name__}: {message}", False, time.perf_counter() - start)
    where = "nothing" if origin.module is None else f"{origin.module or '(outermost)'} {origin.phase} {origin.op}"
    return Outcome(pair.name, pair.model, wanted, f"{where} {origin.verdict.name}", is_right(pair, origin), time.perf_counter() - start)


def main() -> int:
    """Run all pairs and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="run only the pairs whose name contains this")
    only = parser.parse_args().only
    pairs: list[Fault | Honest] = [each for each in (*FAULTS, *HONEST) if only in each.name]
    outcomes: list[tuple[Fault | Honest, Outcome]] = []
    start = time.perf_counter()
    for place, pair in enumerate(pairs):
        left = (time.perf_counter() - start) / max(1, place) * (len(pairs) - place)
        print(f"[{place + 1}/{len(pairs)}] {pair.name}; about {left:.0f} s left", file=sys.stderr, flush=True)
        outcomes.append((pair, outcome_of(pair)))
        print(outcomes[-1][1], flush=True)
    faults = [outcome.right for pair, outcome in outcomes if isinstance(pair, Fault)]
    honest = [outcome.right for pair, outcome in outcomes if isinstance(pair, Honest)]
    accused = len(honest) - sum(honest)
    print(f"figure faults_located {sum(faults)} of_{len(faults)}")
    print(f"figure honest_accused {accused} of_{len(honest)}")
    print(f"figure median_seconds {statistics.median([each.seconds for _, each in outcomes] or [0.0]):.3g} s")
    return int(sum(faults) < SHARE * len(faults) or accused > 0)


if __name__ == "__main__":
    sys.exit(main())
