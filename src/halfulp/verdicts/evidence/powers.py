"""Does the result scale with its inputs by powers of two? Such factors are exact, so no rounding hides what does not scale.

A sum, a product, a convolution without bias, a softmax-free attention: f(8 x) = 8**p f(x), bit for bit, in any order of summation. A
stray constant, a threshold or an absolute epsilon breaks it.
"""

from __future__ import annotations

import numpy as np

from ...cases import SCALED_BY, Case, Change, Inputs, Run, Variant
from ...differences import Leaf
from ...noise import Noise, residual_of
from .evidence import Evidence
from .finding import Finding

F = Finding
DEGREES = (0, 1, 2, 3, 4)


def powers(case: Case, noise: Noise) -> Evidence:
    """Whether `actual` scales as `expected` does when every floating-point input is multiplied by a power of two.

    Returns:
        "unavailable" where `expected` itself does not scale exactly (it has biases, exponentials, an epsilon).
    """
    scaled = {name: case.run(name, Variant(inputs=Inputs(Change.SCALED))) for name in ("actual", "expected")}
    if not all(isinstance(run, Run) for run in scaled.values()):
        return Evidence("powers", F.UNAVAILABLE, measured={"why": "one side does not run on scaled inputs"})
    pairs = _pairs(case.native("expected"), scaled["expected"])
    degree = next((name for name in DEGREES if pairs and all(_deviation(*pair, name) is not None for pair in pairs)), None)
    if degree is None:
        return Evidence("powers", F.UNAVAILABLE, measured={"why": "expected does not scale with its inputs"})
    worst, path = 0.0, ""
    for small, large in _pairs(case.native("actual"), scaled["actual"]):
        if small.path not in noise.leaves or noise.leaves[small.path].shape != small.stored.shape:
            continue
        values = large.float64() / SCALED_BY**degree
        found = residual_of(values, noise.leaves[small.path], reference=small.float64())
        if found.excess(noise.count).of_limit > worst:
            worst, path = found.excess(noise.count).of_limit, small.path
    finding = F.SCALES_ALIKE if worst <= 1.0 else F.DIFFER
    return Evidence("powers", finding, measured={"degree": degree, "factor": SCALED_BY, "excess": worst}, path=path)


def _pairs(small: Run, large: Run | object) -> list[tuple[Leaf, Leaf]]:
    if not isinstance(large, Run):
        return []
    others = {leaf.path: leaf for leaf in large.outputs}
    found = [(leaf, others[leaf.path]) for leaf in small.outputs if leaf.format is not None and leaf.path in others]
    return [pair for pair in found if pair[0].shape == pair[1].shape]


def _deviation(small: Leaf, large: Leaf, degree: int) -> float | None:
    """0.0 where the scaled result is the same multiple throughout, bit for bit; None where it is not."""
    with np.errstate(invalid="ignore", over="ignore"):
        same = large.float64() == small.float64() * SCALED_BY**degree
    return 0.0 if bool(same.all()) and bool(np.any(small.stored != 0)) else None
