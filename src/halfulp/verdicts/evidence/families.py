"""Is `actual` the result of adding `expected`'s terms in an order that many implementations use? Then rounding explains every bit of it."""

from __future__ import annotations

import numpy as np

from ...cases import Case
from ...cases.sides import repeatable
from ...errors import HalfulpError
from ...noise.analytic import reach
from ...orders import Contraction
from ...probes.implementation import Implementation
from ...probes.match import Match, common_order, values_of
from ...probes.revealer import random_sample
from ...probes.structure import find_structure
from .evidence import Evidence, Measured
from .finding import Finding

F = Finding

OUTPUTS = 32
"""At least so many outputs have to agree, all of them. Some forty orders are tried; at one output one of them may agree by chance, at 32
with probability below 40 x 2**-32 even if each gave every second result."""

SAMPLES = 2

LARGEST = 1 << 22
"""Elements of a result beyond which no order is looked for: replaying takes some thirty copies of it, half a gigabyte there."""


def families(case: Case) -> Evidence | None:
    """Which common orders the results of both sides are; None where `expected` is no sum of its inputs.

    Numerics:
        A proof where it finds an order: replaying it on the inputs gives every bit of `actual`. It says nothing where it
            finds none.
    """
    case = case.whole()
    if sum(leaf.stored.size for leaf in case.native("expected").outputs) > LARGEST:
        return None
    actual, expected = case.native("actual").outputs, case.native("expected").outputs
    if len(actual) != 1 or len(expected) != 1 or expected[0].format is None or case.gradients:
        return None
    found = _structure(case)
    if found is None:
        return None
    implementation, contraction = found
    inputs = values_of(implementation)
    term = implementation.arguments[contraction.factors[0].argument].format.name
    matches: dict[str, Match | None] = {}
    for side, leaf in (("actual", actual[0]), ("expected", expected[0])):
        numbers = np.asarray(leaf.numbers(), np.float64)
        output = leaf.format.name if leaf.format is not None else ""
        fits = numbers.size == contraction.positions and bool(np.isfinite(numbers).all()) and output
        matches[side] = common_order(contraction, inputs, numbers, output, term) if fits else None
    of_actual, of_expected = matches["actual"], matches["expected"]
    measured: dict[str, Measured] = {
        "actual": of_actual.name if of_actual else None,
        "expected": of_expected.name if of_expected else None,
        "outputs": of_actual.outputs if of_actual else 0,
        "depth": of_actual.order.depth if of_actual else None,
        "estimate_in_u": reach(of_actual.order.depth) if of_actual else None,
        "difference": of_actual.order.diff(of_expected.order) if of_actual and of_expected else None,
    }
    if of_actual is None:
        return Evidence("families", F.NONE, measured=measured)
    if of_actual.outputs < OUTPUTS:
        return Evidence("families", F.TOO_FEW_OUTPUTS, measured=measured)
    return Evidence("families", F.REPRODUCED, measured=measured)


def _structure(case: Case) -> tuple[Implementation, Contraction] | None:
    try:
        with case.expected.unchanged(), repeatable(case.seed):
            implementation = Implementation(case.expected.eager.function, case.inputs, dict(case.keywords))
            samples = [random_sample(implementation, case.seed + draw) for draw in range(SAMPLES)]
            if not samples[0].result.size:
                return None
            structure = find_structure(implementation, samples, thorough=False)
    except HalfulpError:  # no floating-point inputs, no sum, or a function that does not run on other values
        return None
    return (implementation, structure.contraction) if structure.factor == 1.0 else None
