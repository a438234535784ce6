"""How often does `explain` name the true cause? python -W ignore -m benchmarks.explain [PAIR ...]

The pairs of `benchmarks.explaining` have causes that are known by construction; their author didn't see the catalog. An answer is right
when its first cause is the true one, wrong when it is another, and neither when nothing is named ("unexplained"). Of honest pairs no mistake
(a formula or a use of memory) may be named. Ends with 1 where a share is below the bar.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
import warnings
from dataclasses import dataclass

import halfulp

from .explaining import double, fresh, honest, single
from .explaining.registry import DOUBLE, HONEST, SINGLE, Pair
from .verdicts.figures import report_figures

PAIRS = {"single": SINGLE, "double": DOUBLE, "honest": HONEST}
RIGHT, WRONG, WRONG_AND_SURE, BOTH = 0.85, 2 / 60, 0.01, 10 / 15
"""The bar: shares of single causes named first, of those named wrongly, of those named wrongly with high confidence (one in a slice), of pairs
of causes that are both named."""
BUDGET_S = 60.0
"""The default of `explain`."""
assert single and double and honest and fresh, "imported for their pairs"


@dataclass(frozen=True)
class Outcome:
    """What was named for one pair.

    Attributes:
        kind, pair: which. state: "right", "WRONG", "unexplained" or "in part". named: the causes. confidence: of the first, "" for none.
        is_located: whether the place is that of the mistake, of pairs that say where it is. seconds: of processor time.
    """

    kind: str
    pair: Pair
    state: str
    named: tuple[str, ...]
    confidence: str
    is_located: bool
    seconds: float

    @property
    def is_first_right(self) -> bool:
        """Whether the first cause that was named is one of the true ones."""
        return bool(self.named) and any(self.named[0] in cause for cause in self.pair.causes)

    def __str__(self) -> str:
        wanted = "; ".join(" or ".join(sorted(cause)) for cause in self.pair.causes) or "nothing"
        return f"{self.state:12} {self.pair.id}: wanted {wanted}, got {', '.join(self.named) or 'nothing'}, {self.seconds:.1f} s"


def outcome_of(kind: str, pair: Pair, seed: int) -> Outcome:
    """One pair, timed."""
    start = time.process_time()
    actual, expected, inputs = pair.make(seed)
    found = halfulp.explain(
        actual, expected, inputs, declared=pair.declared, gradients=pair.gradients, processes=False, budget_s=BUDGET_S
    )  # fmt: skip
    names = tuple(cause.name for cause in found.causes)
    if kind == "honest":
        state = "WRONG" if any(cause.kind in ("formula", "memory") for cause in found.causes) else "right"
    elif not names:
        state = "unexplained"
    elif kind == "single":
        state = "right" if names[0] in pair.causes[0] else "WRONG"
    else:
        both = all(any(name in wanted for name in names[:2]) for wanted in pair.causes)
        state = "right" if both else "in part"
    confidence = found[0].confidence if names else ""
    return Outcome(kind, pair, state, names, confidence, fresh.is_located(found.place), time.process_time() - start)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pairs", nargs="*", help="ids of pairs; all when left out")
    parser.add_argument("--kind", choices=sorted(PAIRS), help="only pairs of this kind")
    parser.add_argument("--fresh", action="store_true", help="only those that were written without sight of the catalog, by other authors")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="only every Nth pair")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    chosen = [(kind, pair) for kind, pairs in PAIRS.items() for pair in pairs if options.kind in (None, kind)]
    chosen = [(kind, pair) for kind, pair in chosen if not options.fresh or pair.id in fresh.FRESH]
    chosen = [(kind, pair) for kind, pair in chosen if not options.pairs or pair.id in options.pairs][:: max(1, options.every)]
    outcomes: list[Outcome] = []
    start = time.perf_counter()
    for place, (kind, pair) in enumerate(chosen):
        left = (time.perf_counter() - start) / max(1, place) * (len(chosen) - place)
        if sys.stderr.isatty():
            print(f"\r\033[K{place} of {len(chosen)}, {left:.0f} s left", end="", file=sys.stderr)
        outcomes.append(outcome_of(kind, pair, options.seed))
        if outcomes[-1].state != "right":
            print(outcomes[-1], flush=True)
    return report(outcomes)


def report(outcomes: list[Outcome]) -> int:
    of = {kind: [outcome for outcome in outcomes if outcome.kind == kind] for kind in PAIRS}
    reported = [each for each in of["single"] if each.pair.report is not None]
    count = lambda found, state: sum(each.state == state for each in found)
    ones, twos = of["single"], of["double"]
    new = [outcome for outcome in ones if outcome.pair.id in fresh.FRESH]
    open_ones = [outcome for outcome in new if outcome.state == "unexplained"]
    sure = {
        level: [outcome for outcome in outcomes if outcome.confidence == level and outcome.kind != "honest"]
        for level in ("high", "medium", "low")
    }
    report_figures(
        {
            "single_pairs": (len(ones), "pairs"),
            "right_first": (count(ones, "right"), "pairs"),
            "wrong_first": (count(ones, "WRONG"), "pairs"),
            "pairs_from_reports": (len(reported), "pairs"),
            "right_first_from_reports": (count(reported, "right"), "pairs"),
            "wrong_first_from_reports": (count(reported, "WRONG"), "pairs"),
            "double_pairs": (len(twos), "pairs"),
            "both_named": (count(twos, "right"), "pairs"),
            "fresh_pairs": (len(new), "pairs"),
            "right_first_of_fresh": (count(new, "right"), "pairs"),
            "wrong_first_of_fresh": (count(new, "WRONG"), "pairs"),
            "unexplained_and_located_of_fresh": (sum(outcome.is_located for outcome in open_ones), f"of_{len(open_ones)}"),
            "honest_pairs": (len(of["honest"]), "pairs"),
            "honest_explained_as_mistake": (count(of["honest"], "WRONG"), "pairs"),
            **{
                f"{level}_confidence_right": (sum(outcome.is_first_right for outcome in named), f"of_{len(named)}")
                for level, named in sure.items()
            },
            "median_cpu_seconds": (statistics.median(outcome.seconds for outcome in outcomes), "s"),
        }
    )
    bad = (
        count(ones, "right") < RIGHT * len(ones)
        or count(ones, "WRONG") > WRONG * len(ones)
        or sum(outcome.state == "WRONG" and outcome.confidence == "high" for outcome in ones) > max(1.0, WRONG_AND_SURE * len(ones))
        or count(twos, "right") < BOTH * len(twos)
        or count(of["honest"], "WRONG") > 0
    )
    return int(bad)


if __name__ == "__main__":
    sys.exit(main())
