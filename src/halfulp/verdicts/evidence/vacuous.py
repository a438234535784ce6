"""Do the inputs test anything? Empty outputs, inputs of nothing but zeros and constant outputs agree for many functions."""

from __future__ import annotations

import numpy as np

from ...cases import Case
from ...cases.effects import argument_leaves
from ...differences import Leaf
from .evidence import Evidence
from .finding import Finding

F = Finding


def vacuous(case: Case, *, strict: bool) -> Evidence | None:
    """What was not tested; None where there is nothing to say.

    Args:
        strict: whether agreement that tests nothing decides nothing.
    """
    given = argument_leaves((case.inputs, case.keywords))
    inputs = {name: leaf for name, leaf in given.items() if leaf.format is not None and leaf.stored.size}
    outputs = case.native("expected").outputs
    measured = {
        "empty_outputs": [_named(leaf) for leaf in outputs if not leaf.stored.size],
        "constant_outputs": [_named(leaf) for leaf in outputs if _is_constant(leaf)],
        "zero_inputs": list(inputs) if inputs and not any(map(_has_numbers, inputs.values())) else [],
    }
    measured = {name: paths for name, paths in measured.items() if paths}
    return Evidence("vacuous", F.REFUSED if strict else F.REPORTED, measured=measured) if measured else None


def _named(leaf: Leaf) -> str:
    return leaf.path or "the result"


def _has_numbers(leaf: Leaf) -> bool:
    """Whether an element is not zero."""
    with np.errstate(invalid="ignore"):  # signaling NaN
        return bool(np.any(leaf.numbers() != 0))


def _is_constant(leaf: Leaf) -> bool:
    """Whether several elements are all one number."""
    bits = leaf.stored.reshape(-1)
    return bits.size > 1 and bool(bits[0] == bits[-1]) and bool((bits == bits[0]).all())
