"""Is the error what computing in a coarser format makes? Tried by experiment, format by format.

Two kinds of experiment. Rounding the inputs or results of ops is deterministic, so a right guess reproduces the error element by
element (TF32 and bfloat16 tensor cores, weights stored in 16 bits, autocast, storage between ops). An *accumulator* in a coarser
format leaves an error of that format's size that depends on the order, so there the size is compared, and whether the results
are numbers of that format.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from ...cases import Case
from ...differences.allowance import FALSE_ALARM
from ...floats import FORMATS, Format
from ...noise import Noise
from .. import limits
from .coarse import Coarse, coarsened
from .coarse_numbers import COARSER, coarse_numbers
from .coarse_sizes import has_size_of, nearest_size, representable_in, seen_size
from .evidence import Evidence
from .finding import Finding
from .guesses import candidates, hypotheses, is_seen, reaches
from .prediction import CHANCE, GUESSES, PART, Guess, explained, redrawn_correlation

F = Finding


def precision(case: Case, noise: Noise, *, formula_is_right: bool) -> Evidence:
    """The coarser format, and where it was used, that reproduces the error of `actual`.

    Args:
        formula_is_right: whether other evidence says that the error would vanish in exact arithmetic; only then, or where every result
            is a number of a coarser format, may the size of the error name a format.
    """
    coarser = _coarser(case)
    stored = _stored(case, noise, coarser)
    if stored is not None:
        return stored
    seen = case.remembered(coarse_numbers)
    if not seen.opaque and not seen.formats:
        return Evidence("precision", F.NOT_REPRODUCED, measured={"explained": 0.0, "tried": 0})
    wanted = _wanted(case, coarser)
    best: dict[str, Any] = {"explained": 0.0}
    related: list[tuple[Guess, dict[str, Any]]] = []
    tried = 0
    if seen.opaque:  # then every format may be in every place
        wanted = [form for form in wanted if form.name == "tf32" or reaches(case, noise, form)]
        wanted = [form for form in wanted if form.name != "tf32" or any(other.name in ("float16", "bfloat16") for other in wanted)]
    for formats, places in candidates(wanted, seen):
        for guess, place, found in hypotheses(case, noise, formats, places, seen):
            tried += 1
            best = max(best, found, key=lambda entry: entry["explained"])
            if best["explained"] >= limits.EXPLAINED and _convincing(best["explained"], case):
                return Evidence("precision", F.REPRODUCED, measured={**best, "tried": tried})
            if found["correlated"] >= PART and is_seen(seen, guess.target, place) and has_size_of(case, noise, guess.target):
                return Evidence("precision", F.CORRELATES, measured={**found, "tried": tried, "seen": True})
            # Everything is within the rounding of an 8-bit format, so a correlation with one tells nothing.
            if found["correlated"] >= PART and guess.target.storage_bits > 8:
                related.append((guess, found))
    follows = _following(case, noise, related)
    if follows is not None:
        return Evidence("precision", F.CORRELATES, measured={**follows, "tried": tried})
    by_size = precision_by_size(case, noise, formula_is_right=formula_is_right)
    return by_size or Evidence("precision", F.NOT_REPRODUCED, measured={**best, "tried": tried})


def precision_by_size(case: Case, noise: Noise, *, formula_is_right: bool) -> Evidence | None:
    """The coarser format that only the size of the error names; None where none does. Arguments as above."""
    coarser = _coarser(case)
    seen = case.remembered(coarse_numbers)
    found = seen_size(case, noise, seen, _wanted(case, coarser), formula_is_right=formula_is_right)
    if found is None and (formula_is_right or representable_in(case, coarser) is not None):
        return nearest_size(case, noise, coarser)
    return found


def _coarser(case: Case) -> list[Format]:
    """The formats of less than the declared precision."""
    return [FORMATS[name] for name in COARSER if FORMATS[name].precision_bits < case.declared.precision_bits]


def _wanted(case: Case, coarser: list[Format]) -> list[Format]:
    """Those among them that may be in `actual`: all where it can't be looked into, else those that were seen."""
    seen = case.remembered(coarse_numbers)
    return coarser if seen.opaque else [form for form in coarser if form.name in seen.formats]


def _following(case: Case, noise: Noise, related: list[tuple[Guess, dict[str, Any]]]) -> dict[str, Any] | None:
    """The guess that the error goes along with most, also where rounding is drawn anew, if the error is of its size."""
    named: set[str] = set()
    for guess, found in sorted(related, key=lambda entry: -entry[1]["correlated"]):
        if guess.target.name in named:
            continue
        deviations = redrawn_correlation(case, noise, guess)
        if deviations < CHANCE:
            continue
        named.add(guess.target.name)
        if has_size_of(case, noise, guess.target):
            return {**found, "deviations": deviations}
    return None


def _stored(case: Case, noise: Noise, coarser: list[Format]) -> Evidence | None:
    """Whether weights or buffers of `actual` are those of `expected`, rounded to a coarser format, and that makes the error."""
    own, peers = case.actual.state.owned, case.expected.state.owned
    pairs = {name: (own[word], peers[name]) for word, name in case.shared_state.items() if word in own and name in peers}
    pairs = {name: pair for name, pair in pairs.items() if pair[0] is not pair[1] and all(side.is_floating_point() for side in pair)}
    apart = {
        name: pair
        for name, pair in pairs.items()
        if pair[0].dtype != pair[1].dtype or not torch.equal(*(side.detach().cpu() for side in pair))
    }
    if not apart:
        return None
    for target in sorted(coarser, key=lambda form: form.name == "tf32"):  # a way to take operands; what is stored has another name for it
        for truncated in (False, True) if target.name in ("tf32", "float16", "bfloat16") else (False,):
            if not all(
                torch.equal(stored.detach().cpu().double(), coarsened(peer.detach().cpu().double(), target, truncated=truncated))
                for stored, peer in apart.values()
            ):
                continue
            share = explained(case, noise, Guess(target, Coarse(target), target, frozenset(apart)))
            if share.explained < limits.EXPLAINED:
                return None
            some = ", ".join(list(apart)[:NAMED]) + (f" and {len(apart) - NAMED} more" if len(apart) > NAMED else "")
            where = "weights" if len(apart) == len(pairs) > NAMED else f"stored values of {some}"
            measured = {**share.measured, "format": target.name, "where": where, "tried": 1}
            return Evidence("precision", F.REPRODUCED, measured=measured)
    return None


NAMED = 3
"""So many weights are named."""


def _convincing(explained: float, case: Case) -> bool:
    """Whether so much could hardly be reproduced by chance.

    A guess of the right size leaves a share s of the squared error of n elements with a probability of about s^(n/2), the part of an
    n-dimensional ball that lies within that distance of the error.
    """
    pairs = {leaf.path: leaf for leaf in case.native("expected").outputs}
    count = sum(
        int(np.count_nonzero(leaf.numbers() != pairs[leaf.path].numbers()))
        for leaf in case.native("actual").outputs
        if leaf.format is not None and leaf.path in pairs and pairs[leaf.path].stored.shape == leaf.stored.shape
    )
    left = max(1.0 - explained, 1e-16)
    return GUESSES * left ** (0.5 * count) <= FALSE_ALARM
