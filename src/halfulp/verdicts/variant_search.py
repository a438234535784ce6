"""Search: does the verdict hold on nasty variants of the inputs too?"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from ..cases import Case
from ..errors import InputError, RunError
from ..inputs import EXOTIC, KINDS, WHERE_DEFINED, variants
from ..searches import Trial, is_defined, search_inputs
from .evidence.evidence import Evidence
from .evidence.finding import Finding
from .gatherer import Gatherer
from .judgment import Decision, decide
from .verdict import Verdict

F = Finding

LEAST_S = 2.0
"""Where no variant is worse, other inputs are searched for as long as the variants took, and at least so long."""
OUT_OF_RANGE = ("specials", "overflow")
"""What decides where numbers are so large that one side overflows: reported, as with the labelled variants of that kind."""
FOUND = "search"
"""The kind of inputs that a search found, which are no labelled variant."""


def search_variants(
    case_on: Callable[[Any], Case], inputs: Any, seed: int, verdict: Verdict, progress: Callable[[str], None], *, kinds: tuple[str, ...]
) -> Evidence:
    """The first inputs on which the verdict is not acceptable any more: a labelled variant, or what a search finds after them.

    Differences on special values and empty tensors are reported and do not decide: honest implementations may differ there.

    Args:
        case_on: makes the case for given inputs. inputs, seed: what the variants are made from. verdict: that on the given inputs.
        kinds: which kinds of variants are tried; all of them: other inputs are searched for too (`halfulp.searches`).
    """
    start = time.monotonic()
    tried, refused = 0, 0
    exotic: list[str] = []
    for variant in variants(inputs, seed):
        if variant.kind not in kinds:
            continue
        progress(f"trying {variant.label}")
        case = case_on(variant.inputs)
        try:
            for name in ("expected", "actual"):
                case.native(name)
        except (RunError, InputError):  # sizes that the weights don't have, an empty axis without a maximum
            refused += 1
            continue
        if variant.kind in WHERE_DEFINED and not is_defined(case):
            refused += 1
            continue
        tried += 1
        gatherer = Gatherer(case, lambda _: None)
        decision = decide(gatherer.gather())
        if decision.verdict.acceptable is not False:
            continue
        if variant.kind in EXOTIC:
            exotic.append(f"{variant.label}: {decision.verdict.name}")
            continue
        return _changed(gatherer, decision, verdict, {"variant": variant.label, "kind": variant.kind, "tried": tried, "refused": refused})
    if kinds == KINDS:
        arguments, keywords = inputs
        names, count = tuple(keywords), len(arguments)
        trial = Trial(
            lambda row: case_on((row[:count], dict(zip(names, row[count:])))),
            seconds=max(LEAST_S, time.monotonic() - start), enough=1.0, acceptable=_is_acceptable, progress=progress,
        )  # fmt: skip
        found = search_inputs(trial, (*arguments, *keywords.values()), seed, structures=False)
        tried, refused = tried + trial.evaluations, refused + trial.refused
        if found is not None and found.excess > 1.0:
            gatherer = Gatherer(trial.case_on(found.inputs), lambda _: None)
            decision = decide(gatherer.gather())
            if decision.verdict.acceptable is False and decision.because[0] not in OUT_OF_RANGE:
                return _changed(gatherer, decision, verdict, {"variant": found.label, "kind": FOUND, "tried": tried, "refused": refused})
    return Evidence("search", F.UNCHANGED, (verdict,), {"tried": tried, "refused": refused, "exotic": exotic})


def _is_acceptable(case: Case) -> bool:
    decision = decide(Gatherer(case, lambda _: None).gather())
    return decision.verdict.acceptable is not False or decision.because[0] in OUT_OF_RANGE


def _changed(gatherer: Gatherer, decision: Decision, verdict: Verdict, measured: dict[str, Any]) -> Evidence:
    found = gatherer.comparison
    measured |= {
        "verdict": decision.verdict.name,
        "given_verdict": verdict.name,
        "because": list(decision.because),
        "max_abs": found.max_abs,
        "unequal": found.unequal,
        "count": found.count,
    }
    return Evidence("search", F.CHANGED, (decision.verdict,), measured)
