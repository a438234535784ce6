"""Is the error of `actual` what rounding in the declared precision makes?"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...cases import Case, Run
from ...cases.effects import argument_leaves
from ...differences.allowance import max_limit, rms_limit
from ...noise import DATA, Noise, Residual, RootMeanSquare, backward_error, noise_of, residual_of_leaf, uses_transforms
from .. import limits
from .evidence import Evidence
from .finding import Finding

F = Finding


def residuals(run: Run, noise: Noise) -> list[Residual]:
    """The error of each floating-point output in units of the noise."""
    found: list[Residual] = []
    for leaf in run.outputs:
        spread = noise.leaves.get(leaf.path)
        if leaf.format is None or spread is None or spread.shape != leaf.stored.shape:
            continue
        found.append(residual_of_leaf(leaf, spread))
    return found


def judged_by(actual: Run, noise: Noise, sampled: Noise) -> Noise:
    """The noise that errors are told in: the one without the errors of `expected` where `actual` is within it, else the one with them."""
    found = [residual for residual in residuals(actual, sampled) if residual.count]
    return sampled if all(residual.excess(noise.degrees).within for residual in found) else noise


def noise_evidence(case: Case, noise: Noise, sampled: Noise) -> Evidence | None:
    """The worst output's error in units of the noise; None where no output is a floating-point tensor.

    Args:
        case: whose native runs are judged.
        noise: the noise that `actual` is judged by, which contains the errors of `expected`.
        sampled: the noise without them, which `expected` itself is measured by.
    """
    actual, expected = case.native("actual"), case.native("expected")
    found = [residual for residual in residuals(actual, judged_by(actual, noise, sampled)) if residual.count]
    if not found:
        return None
    worst = max(found, key=lambda residual: residual.excess(noise.degrees).of_limit)
    peers = {residual.path: residual for residual in residuals(expected, sampled)}
    peer = peers.get(worst.path)
    within = worst.excess(noise.degrees).within
    shares = [value for value in (_relative(noise.leaves[part.path]) for part in found) if value is not None]
    return Evidence(
        "noise",
        F.WITHIN if within else F.BEYOND,
        measured={
            "declared": noise.declared.name,
            "rms_in_noise": worst.rms_in_noise,
            "rms_limit": rms_limit(noise.degrees),
            "max_in_noise": worst.max_in_noise,
            "max_limit": max_limit(noise.degrees, worst.count),
            "norm_in_noise": worst.norm_in_noise,
            "max_norm_in_noise": worst.max_norm_in_noise,
            "expected_rms_in_noise": peer.rms_in_noise if peer else None,
            "expected_excess": peer.excess(noise.degrees).of_limit if peer else None,
            "rel_rms": worst.rms / worst.reference_rms if worst.reference_rms else None,
            "noise_rel_rms": _relative(noise.leaves[worst.path]),
            "least_noise_rel_rms": min(shares, default=None),
            "count": worst.count,
            "nonzero": worst.nonzero,
            "worst_index": list(worst.worst_index),
            "samples": noise.count,
            "method": noise.method,
            "reference": noise.reference,
            "products": noise.has_products,
            "elementwise": noise.is_elementwise,
            "transforms": not within and uses_transforms(case, "actual"),
            "terms": _terms(case, worst),
            "outputs_beyond": sum(not residual.excess(noise.degrees).within for residual in found),
            "outputs": len(found),
            "notes": list(noise.notes),
        },
        path=worst.path,
    )


def _relative(leaf: Any) -> float | None:
    """The rms spread over the rms result; None for a result that is zero throughout."""
    sizes, spreads = RootMeanSquare(), RootMeanSquare()
    for _, reference, spread in leaf.blocks():
        finite = np.isfinite(reference)
        sizes.add(reference[finite])
        spreads.add(spread[finite])
    return spreads.value / sizes.value if sizes.value else None


def _terms(case: Case, worst: Residual) -> int:
    """How many numbers of the largest input may meet in one result, where the ops don't tell."""
    sizes = [leaf.stored.size for leaf in argument_leaves((case.inputs, case.keywords)).values() if leaf.format is not None]
    return max(1, max(sizes, default=1) // max(1, worst.count))


def backward_evidence(case: Case, actual: Run, noise: Noise) -> Evidence | None:
    """The componentwise backward error of `actual`, for functions that are one sum of products; None for others."""
    found = backward_error(case, actual, noise)
    if found is None:
        return None
    return Evidence(
        "backward_error",
        F.WITHIN if found.eta <= found.estimate else F.WITHIN_PROVED_BOUND if found.eta <= found.bound else F.BEYOND,
        measured={"eta_in_u": found.eta, "terms": found.terms, "estimate_in_u": found.estimate, "bound_in_u": found.bound},
        path=found.path,
    )


def fast_products(case: Case) -> Evidence:
    """Whether the error is what products lose when they are computed by fast algorithms (Winograd, FFT, Strassen), small in norm only."""
    noise = noise_of(case, product_loss=limits.PRODUCT_LOSS, rounds=DATA)
    found = [residual for residual in residuals(case.native("actual"), noise) if residual.count]
    worst = max((residual.excess(noise.count).of_limit for residual in found), default=math.inf)
    return Evidence("fast_products", F.EXPLAIN if worst <= 1.0 else F.DO_NOT_EXPLAIN, measured={"excess": worst})


EQUAL = 1.1
"""Rms errors within a tenth of each other are called equal: another seed of the inputs would turn their order around."""


def peer_evidence(actual: Run, expected: Run, noise: Noise) -> Evidence | None:
    """Which side is closer to the reference, and by how much. `expected` is not assumed to be the better one."""
    if noise.reference == "expected in its own precision":
        return None  # nothing better is known that both could be compared with
    of_actual = {residual.path: residual for residual in residuals(actual, noise)}
    of_expected = {residual.path: residual for residual in residuals(expected, noise)}
    shared = [path for path in of_actual if path in of_expected and of_actual[path].count]
    if not shared:
        return None
    path = max(shared, key=lambda name: of_actual[name].rms_in_noise)
    actual_rms, expected_rms = of_actual[path].rms, of_expected[path].rms
    if max(actual_rms, expected_rms) <= EQUAL * min(actual_rms, expected_rms):
        closer, ratio = F.NEITHER, 1.0
    elif actual_rms < expected_rms:
        closer, ratio = F.ACTUAL, expected_rms / actual_rms if actual_rms else float("inf")
    else:
        closer, ratio = F.EXPECTED, actual_rms / expected_rms if expected_rms else float("inf")
    measured = {"actual_rms_error": actual_rms, "expected_rms_error": expected_rms, "ratio": ratio}
    return Evidence("peer", closer, measured=measured, path=path)
