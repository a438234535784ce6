"""On small integers, sums and products are exact in any order: a difference there is not one of rounding."""

from __future__ import annotations

import math

import numpy as np

from ...cases import Case, Change, Inputs, Run, Variant
from .evidence import Evidence
from .finding import Finding

F = Finding
ROUNDS_RIGHT = 0.5
"""An integer that is off by less is still told from its neighbors."""


def integers(case: Case) -> Evidence:
    """Whether both sides agree on inputs in [-3, 3], where `expected` shows that the computation is exact."""
    return _on(case, Change.INTEGERS)


def impulses(case: Case) -> Evidence:
    """The same with only one number of each row of the first input left: exact where whole sums of a coarse format are not."""
    return _on(case, Change.IMPULSES)


def _on(case: Case, change: Change) -> Evidence:
    kind, inputs = change.value, Inputs(change)
    actual = case.run("actual", Variant(inputs=inputs))
    expected = case.run("expected", Variant(inputs=inputs))
    exact = case.run("expected", Variant(case.finest, inputs))
    exact = exact if isinstance(exact, Run) else expected
    if not isinstance(actual, Run) or not isinstance(expected, Run) or not isinstance(exact, Run):
        return Evidence(kind, F.UNAVAILABLE, measured={"why": f"one side does not run on {kind}"})
    references = {leaf.path: leaf.float64() for leaf in exact.outputs}
    plain = {leaf.path: leaf.float64() for leaf in expected.outputs}
    largest, count, unequal, path = 0.0, 0, 0, ""
    for leaf in actual.outputs:
        reference, peer = references.get(leaf.path), plain.get(leaf.path)
        if leaf.format is None or reference is None or peer is None or reference.shape != leaf.stored.shape:
            continue
        whole = np.isfinite(reference).all() and np.array_equal(reference, peer) and np.array_equal(reference, np.rint(reference))
        if not whole or not np.any(reference != 0):
            inexact = f"the computation is not exact on {kind} (for example because it divides or takes roots or exponentials)"
            why = f"all results are zero on {kind}" if whole else inexact
            return Evidence(kind, F.UNAVAILABLE, measured={"why": why})
        apart = np.abs(leaf.float64() - reference)
        apart = np.where(np.isfinite(apart), apart, np.inf)
        count += apart.size
        unequal += int(np.count_nonzero(apart))
        if apart.size and float(apart.max()) > largest:
            largest, path = float(apart.max()), leaf.path
    if not count:
        return Evidence(kind, F.UNAVAILABLE, measured={"why": "no output is a floating-point tensor"})
    measured = {"unequal": unequal, "count": count, "max_abs": largest}
    if not unequal:
        return Evidence(kind, F.EXACT, measured=measured)
    # Fast products are not exact even on integers, but they round to the right one. With what `limits.FAST_PRODUCT_LOSS` allows them
    # (64 u sqrt n) they keep half of the digits, sqrt u, up to sums of n = 1 / (64^2 u) terms, 4,096 in float32.
    size = max(float(np.abs(array).max(initial=0.0)) for array in references.values())
    if ROUNDS_RIGHT > largest > math.sqrt(case.storage.unit_roundoff) * size:
        why = (
            f"they differ by up to {largest:.2g}; that is more than fast algorithms (Winograd, Strassen) lose, but not enough to prove a "
            "mistake"
        )
        return Evidence(kind, F.UNAVAILABLE, measured={"why": why})
    if largest < ROUNDS_RIGHT:
        return Evidence(kind, F.NEARLY_EXACT, measured=measured, path=path)
    return Evidence(kind, F.DIFFER, measured=measured, path=path)
