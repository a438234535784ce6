"""Search: does the verdict hold on nasty variants of the inputs too?"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..cases import Case
from ..errors import InputError, RunError
from ..inputs import EXOTIC, variants
from .evidence.evidence import Evidence
from .evidence.finding import Finding
from .gatherer import Gatherer
from .judgment import decide
from .verdict import Verdict

F = Finding


def search_variants(
    case_on: Callable[[Any], Case], inputs: Any, seed: int, verdict: Verdict, progress: Callable[[str], None], *, kinds: tuple[str, ...]
) -> Evidence:
    """The first variant of the inputs on which the verdict is not acceptable any more.

    Differences on special values and empty tensors are reported and do not decide: honest implementations may differ there.

    Args:
        case_on: makes the case for given inputs. inputs, seed: what the variants are made from. verdict: that on the given inputs.
        kinds: which kinds of variants are tried.
    """
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
        tried += 1
        gatherer = Gatherer(case, lambda _: None)
        decision = decide(gatherer.gather())
        if decision.verdict.acceptable is not False:
            continue
        if variant.kind in EXOTIC:
            exotic.append(f"{variant.label}: {decision.verdict.name}")
            continue
        found = gatherer.comparison
        measured = {
            "variant": variant.label,
            "kind": variant.kind,
            "verdict": decision.verdict.name,
            "given_verdict": verdict.name,
            "because": list(decision.because),
            "max_abs": found.max_abs,
            "unequal": found.unequal,
            "count": found.count,
        }
        return Evidence("search", F.CHANGED, (decision.verdict,), {**measured, "tried": tried, "refused": refused})
    return Evidence("search", F.UNCHANGED, (verdict,), {"tried": tried, "refused": refused, "exotic": exotic})
