"""Is the error of the size that a coarser format makes? And are the results numbers of it?"""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np

from ...cases import Case
from ...differences import Leaf
from ...floats import Format, is_representable
from ...noise import LeafNoise, Noise, noise_of, residual_of
from ...noise.noise import scaled_error
from .. import limits
from .coarse_numbers import CoarseNumbers
from .evidence import Evidence
from .finding import Finding

F = Finding


def has_size_of(case: Case, noise: Noise, target: Format) -> bool:
    """Whether no element is further off than rounding to that format may put it.

    To first order the noise of a coarser format is that of the declared one, larger by the quotient of their unit roundoffs; where the
    error is within that already, the format is not sampled.
    """
    larger = target.unit_roundoff / case.declared.unit_roundoff
    stretched = {path: dataclasses.replace(known, spread=larger * known.spread) for path, known in noise.leaves.items()}
    return _within(case, noise, stretched, noise.count) or _within(
        case, noise, (coarse := noise_of(case, declared=target, coarse_sums=True)).leaves, coarse.count
    )


def _rms_in(case: Case, noise: Noise, target: Format) -> float:
    """The largest error of an output in units of a coarser format's noise, taken as that of the declared one stretched."""
    larger = target.unit_roundoff / case.declared.unit_roundoff
    found = [
        residual_of(leaf.float64(), noise.leaves[leaf.path]).rms_in_noise / larger
        for leaf in case.native("actual").outputs
        if leaf.format is not None and leaf.path in noise.leaves and noise.leaves[leaf.path].shape == leaf.stored.shape
    ]
    return max(found, default=0.0)


def _within(case: Case, noise: Noise, leaves: dict[str, LeafNoise], samples: int) -> bool:
    for leaf in case.native("actual").outputs:
        spread = leaves.get(leaf.path)
        if leaf.format is None or spread is None or spread.reference.shape != leaf.stored.shape:
            continue
        residual = residual_of(leaf.float64(), spread, reference=noise.leaves[leaf.path].reference)
        if residual.count and residual.excess(samples).of_limit > 1.0:
            return False
    return True


def seen_size(case: Case, noise: Noise, seen: CoarseNumbers, wanted: list[Format], *, formula_is_right: bool) -> Evidence | None:
    """The format whose numbers were seen, where the error is no larger than it makes.

    What mostly computes in a format is of that format, whatever else it is. Where only some ops do, nothing else may be wrong.
    """
    for form in sorted(wanted, key=lambda form: -seen.formats[form.name].count) if not seen.opaque else ():
        is_most = seen.formats[form.name].is_most
        if form.storage_bits > 8 and (is_most or formula_is_right) and has_size_of(case, noise, form):
            where = "most of its ops" if is_most else "some of its ops"
            measured = {"format": form.name, "where": where, "representable": representable_in(case, wanted), "seen": True}
            return Evidence("precision", F.SAME_SIZE, measured={**measured, "rms_in_its_noise": _rms_in(case, noise, form)})
    return None


def nearest_size(case: Case, noise: Noise, coarser: list[Format]) -> Evidence | None:
    """The coarser format whose own rounding the error looks like: the one that the results are numbers of, or the one of nearest size."""
    representable = representable_in(case, coarser)
    fitting: list[tuple[float, Format, float]] = []
    # Everything is within an 8-bit format's rounding: its size names nothing. Sums of 16-bit formats are accumulated in float32, so an
    # accumulator of the declared format itself is less than declared.
    accumulators = [case.declared] if case.declared.storage_bits == 16 else []
    usable = [
        float_format for float_format in coarser if float_format.storage_bits > 8 and (float_format.name != "tf32" or noise.has_products)
    ]
    for target in [*accumulators, *usable]:
        coarse = noise_of(case, declared=target, coarse_sums=True)
        if _leaves_nothing(coarse):
            continue
        worst, size = 0.0, 0.0
        for leaf in case.native("actual").outputs:
            spread = coarse.leaves.get(leaf.path)
            if leaf.format is None or spread is None or spread.reference.shape != leaf.stored.shape:
                continue
            residual = residual_of(leaf.float64(), spread, reference=noise.leaves[leaf.path].reference)
            if residual.count:
                worst, size = max(worst, residual.excess(coarse.count).of_limit), max(size, _typical(leaf, spread, noise))
        if worst <= 1.0 and size >= HONEST_SIZE:
            fitting.append((abs(math.log(size)) if size else math.inf, target, size))
    if not fitting:
        return None
    named = next((entry for entry in fitting if entry[1].name == representable), None)
    if named is None:
        if sum(leaf.stored.size for leaf in case.native("actual").outputs if leaf.format is not None) < limits.FEWEST:
            return None  # the size of a few errors is anything: each format is the nearest one to some
        named = min(fitting, key=lambda entry: entry[0])
    return Evidence(
        "precision",
        F.SAME_SIZE,
        measured={
            "format": named[1].name,
            "where": "accumulators of sums" if _adds(noise) else "results" if representable == named[1].name else "somewhere inside",
            "rms_in_its_noise": named[2],
            "representable": representable,
        },
    )


def _leaves_nothing(coarse: Noise) -> bool:
    """Whether rounding to the format leaves less than a digit of most results: everything is within it."""
    with np.errstate(over="ignore"):  # a subnormal result
        shares = [
            float(np.median(known.spread[known.reference != 0] / np.abs(known.reference[known.reference != 0])))
            for known in coarse.leaves.values()
            if np.count_nonzero(known.reference)
        ]
    return bool(shares) and min(shares) > limits.ILL_CONDITIONED


def _typical(leaf: Leaf, spread: LeafNoise, noise: Noise) -> float:
    """The median error in units of a format's noise: a format errs everywhere, an unstable algorithm where it is unstable."""
    error = leaf.float64() - noise.leaves[leaf.path].reference
    return float(np.median(np.abs(scaled_error(error, spread.spread)))) if error.size else 0.0


def _adds(noise: Noise) -> bool:
    """Whether the function adds: rounding of operands and results having been tried, an accumulator is what is left."""
    return any(noise.ops.get(kind, 0) for kind in ("product", "sum", "scan", "scattered"))


HONEST_SIZE = 0.1
"""An honest implementation's error is rarely below a tenth of the modeled noise (`benchmarks/verdicts/calibrate.py`, section "honest
implementations": only long sums added pairwise are), so an error below a tenth of a format's noise was not made by that format."""


def representable_in(case: Case, coarser: list[Format]) -> str | None:
    """The coarsest of the formats that all of `actual`'s results are numbers of, if `expected`'s are not."""
    found: str | None = None
    pairs = {leaf.path: leaf.numbers() for leaf in case.native("expected").outputs if leaf.format is not None}
    sides: tuple[list[Any], list[Any]] = ([], [])
    for leaf in case.native("actual").outputs:
        if leaf.format is not None and leaf.path in pairs and pairs[leaf.path].shape == leaf.shape:
            numbers, peers = leaf.numbers(), pairs[leaf.path]
            kept = (numbers != 0) | (peers == 0)  # where nothing is left, any format holds it
            sides[0].append(numbers[kept])
            sides[1].append(peers[kept])
    if not any(np.count_nonzero(numbers) for numbers in sides[0]):
        return None
    for target in coarser:
        whole = [all(bool(is_representable(numbers, target).all()) for numbers in side) for side in sides]
        if whole[0] and not whole[1]:
            found = target.name
    return found
