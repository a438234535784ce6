"""Does the result depend on the order of its inputs only as `expected` does?

Where `expected` in float64 is indifferent to a permutation (a sum) or follows it (independent rows), a right implementation moves by
rounding alone; one that treats a tail, a border or an index specially moves by more.
"""

from __future__ import annotations

import dataclasses
import itertools
from typing import Any

import numpy as np
import torch

from ...cases import Case, Change, Inputs, Run, Variant
from ...cases.inputs import map_arrays
from ...noise import LeafNoise, Noise, residual_of
from .. import limits
from .evidence import Evidence
from .finding import Finding

F = Finding
LENGTHS = 4
"""At most this many axis lengths are tried, the longest first: each costs a run of both sides."""


def permutations(case: Case, noise: Noise) -> Evidence:
    """Whether `actual`, right on the given inputs, is so too after permutations that leave `expected` what it is."""
    tried: list[int] = []
    worst, path, length = 0.0, "", 0
    for size in _lengths(case)[:LENGTHS]:
        variant = Variant(case.finest, Inputs(Change.PERMUTED, size))
        moved = case.run("expected", variant)
        actual = case.run("actual", Variant(inputs=variant.inputs))
        if not isinstance(moved, Run) or not isinstance(actual, Run):
            continue
        order = case.permutation(size)
        followed = _followed(moved, noise, size, order)
        if followed is None:
            continue
        tried.append(size)
        natives = {leaf.path: leaf for leaf in case.native("actual").outputs}
        for leaf in actual.outputs:
            native = natives.get(leaf.path)
            if leaf.format is None or native is None or leaf.path not in followed or leaf.shape != native.shape:
                continue
            spread = noise.leaves[leaf.path]
            if residual_of(native.float64(), spread).excess(noise.count).of_limit > 1.0:
                continue  # an unstable algorithm errs as much again in any order: nothing is learned
            amounts = (
                residual_of(leaf.float64(), _permuted(spread, axes, order)).excess(noise.count).of_limit for axes in followed[leaf.path]
            )
            amount = min(amounts)
            if amount > worst:
                worst, path, length = amount, leaf.path, size
    if not tried:
        return Evidence("permutations", F.UNAVAILABLE, measured={"why": "expected is sensitive to every permutation that was tried"})
    # The rounding errors are drawn anew, and a respectable algorithm may make up to a digit more of them in another order.
    finding = F.FOLLOWS if worst <= limits.TOLERABLE_LOSS else F.DIFFER
    return Evidence(
        "permutations",
        finding,
        measured={"lengths": tried, "length": length, "excess": worst},
        path=path,
    )


def _lengths(case: Case) -> list[int]:
    found: set[int] = set()

    def note(value: Any) -> Any:
        found.update(int(item) for item in value.shape if item > 1)
        return value

    map_arrays((case.inputs, case.keywords), note, note)
    return sorted(found, reverse=True)


def _permuted(spread: LeafNoise, axes: tuple[int, ...], order: torch.Tensor) -> LeafNoise:
    """The noise of an output whose axes are permuted."""
    return dataclasses.replace(spread, reference=_taken(spread.reference, axes, order), spread=_taken(spread.spread, axes, order))


def _taken(values: np.ndarray, axes: tuple[int, ...], order: torch.Tensor) -> np.ndarray:
    for axis in axes:
        values = np.take(values, order.numpy(), axis=axis)
    return values


def _followed(moved: Run, noise: Noise, size: int, order: torch.Tensor) -> dict[str, list[tuple[int, ...]]] | None:
    """For each output the choices of axes that may be permuted with the inputs (none for a sum); None where no choice explains a result.

    A result that is zero all over is explained by every choice, and its noise may follow any of them.
    """
    found: dict[str, list[tuple[int, ...]]] = {}
    for leaf in moved.outputs:
        spread = noise.leaves.get(leaf.path)
        if leaf.format is None or spread is None or spread.reference.shape != leaf.stored.shape:
            continue
        axes = [axis for axis, present in enumerate(leaf.stored.shape) if present == size]
        choices = itertools.chain.from_iterable(itertools.combinations(axes, count) for count in range(len(axes) + 1))
        values = leaf.float64()
        is_constant = bool((spread.reference == spread.reference.flat[0]).all()) if spread.reference.size else False
        for choice in choices:
            reference = _taken(spread.reference, choice, order)
            if residual_of(values, spread, reference=reference).max_in_noise <= limits.VANISHES:
                found.setdefault(leaf.path, []).append(choice)
                if not is_constant:
                    break
        if leaf.path not in found:
            return None
    return found or None
