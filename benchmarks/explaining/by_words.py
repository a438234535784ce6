"""What does `explain` say of training code that it was not made for? python -W ignore -m benchmarks.explaining.by_words

The pairs of `trainings`, `more_trainings` and `mixed` are scored by the words that their authors expected in a right answer, and by nothing that was decided afterwards: an
answer is right where a cause's name or statement holds one of them (of two mistakes, words of both). A hit on a general word ("mean", "weight")
may flatter; the answers are printed beside, to be read.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from typing import Any

import torch

import halfulp

from . import mixed, more_trainings, trainings

SETS = {"trainings": trainings.PAIRS, "more_trainings": more_trainings.PAIRS, "mixed": mixed.PAIRS}


def said(found: halfulp.Explanation) -> list[str]:
    """The causes as text, the first one first."""
    return [f"{cause.name}: {cause.statement}".lower() for cause in found.causes]


def is_right(pair: Any, causes: list[str]) -> bool:
    """Whether the first cause says what was planted; of two mistakes, whether both are said."""
    if pair.kind == "double":
        return all(any(word.lower() in cause for word in words for cause in causes) for words in pair.words)
    return any(word.lower() in causes[0] for word in pair.words)


def main() -> int:
    """Explain all pairs and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="run only the pairs whose name contains this")
    only = parser.parse_args().only
    return max(scored(name, [pair for pair in pairs if only in pair.id]) for name, pairs in SETS.items())


def scored(name: str, chosen: list[Any]) -> int:
    """Explain the pairs of a set, print its figures, and say whether an honest one was blamed."""
    states: dict[str, list[str]] = {}
    seconds: list[float] = []
    for place, pair in enumerate(chosen):
        print(f"[{place + 1}/{len(chosen)}] {pair.id}", file=sys.stderr, flush=True)
        with torch.random.fork_rng(devices=[]):
            actual, expected, inputs = pair.make(0)
        start = time.process_time()
        found = halfulp.explain(actual, expected, inputs, gradients=pair.gradients, processes=False)
        seconds.append(time.process_time() - start)
        causes = said(found)
        if pair.kind == "honest":
            state = "right" if found.result.acceptable and not any(cause.kind == "formula" for cause in found.causes) else "WRONG"
        else:
            state = "unexplained" if not causes else "right" if is_right(pair, causes) else "other"
        states.setdefault(pair.kind, []).append(state)
        print(f"{state}  {pair.id} ({pair.kind}): planted {pair.cause or 'nothing'}; {' | '.join(causes) or 'no cause'}", flush=True)
    for kind, found_states in states.items():
        print(f"figure {name}_{kind}_right {found_states.count('right')} of_{len(found_states)}")
        print(f"figure {name}_{kind}_unexplained {found_states.count('unexplained')} of_{len(found_states)}")
    print(f"figure {name}_median_seconds {statistics.median(seconds or [0.0]):.3g} s")
    return int("WRONG" in states.get("honest", []))


if __name__ == "__main__":
    torch.set_num_threads(1)
    raise SystemExit(main())
