"""Are they the same vectors in another order or with another sign? For channels that is the mistake; for eigenvectors it is none."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ...cases import Case
from .. import limits
from .evidence import Evidence
from .finding import Finding

F = Finding
SHORTEST = 4
"""Numbers of a vector: two random ones of so many are within 2^-10 of each other once in 10^9 times."""
LARGEST = 1 << 29
"""Multiplications for all pairs of vectors along one axis: half a second."""


@dataclass(frozen=True)
class Match:
    """The vectors of one result among those of another.

    Attributes:
        order: "same", "reversed" or "other". opposite: how many have the opposite sign. count: of how many.
    """

    order: str
    opposite: int
    count: int


def rearrangement(case: Case) -> Evidence | None:
    """How the outputs of the two sides are the same vectors; None where they aren't."""
    expected = case.native("expected").by_path
    for leaf in case.native("actual").outputs:
        other = expected.get(leaf.path)
        if leaf.format is None or other is None or other.shape != leaf.shape or leaf.dtype.startswith("complex"):
            continue
        one, two = leaf.float64(), other.float64()
        largest = max(float(np.max(np.abs(values), initial=0.0)) for values in (one, two))
        if one.size < SHORTEST or not largest or not math.isfinite(largest):
            continue
        one, two = one / largest, two / largest  # so that squares don't overflow
        if _are_near(one, two):
            continue
        found = _found(one, two)
        if found is not None:
            what, match = found
            return Evidence(
                "rearrangement",
                F.REARRANGED,
                measured={"what": what, "order": match.order, "opposite": match.opposite, "count": match.count},
                path=leaf.path,
            )
    return None


def _found(one: npt.NDArray[np.float64], two: npt.NDArray[np.float64]) -> tuple[str, Match] | None:
    if _are_near(one, -two):
        return "all", Match("same", one.size, one.size)
    if one.ndim == 1:
        match = _of_numbers(one, two)
        return ("numbers", match) if match is not None else None
    for axis in reversed(range(one.ndim)):
        match = _matched(*(np.moveaxis(values, axis, 0).reshape(values.shape[axis], -1) for values in (one, two)))
        if match is not None:
            name = {0: "rows", 1: "columns"}[axis] if one.ndim == 2 else f"slices along axis {axis}"
            return name, match
    if one.ndim > 2:
        for name, matrices in (("columns", [np.swapaxes(values, -1, -2) for values in (one, two)]), ("rows", [one, two])):
            match = _in_place(*(matrix.reshape(-1, matrix.shape[-1]) for matrix in matrices))
            if match is not None:
                return f"{name} of each matrix", match
    return None


def _of_numbers(one: npt.NDArray[np.float64], two: npt.NDArray[np.float64]) -> Match | None:
    if _are_near(one, two[::-1]):
        return Match("reversed", 0, one.size)
    return Match("other", 0, one.size) if _are_near(np.sort(one), np.sort(two)) else None


def _matched(one: npt.NDArray[np.float64], two: npt.NDArray[np.float64]) -> Match | None:
    """The rows of one matrix among those of the other."""
    count, length = one.shape
    if count < 2 or length < SHORTEST or count * one.size > LARGEST:
        return None
    products = one @ two.T
    places = np.argmax(np.abs(products) / np.maximum(np.linalg.norm(two, axis=1), np.finfo(np.float64).tiny), axis=1)
    if len(set(places.tolist())) != count:
        return None
    match = _in_place(one, two[places])
    if match is None:
        return None
    orders = {"same": np.arange(count), "reversed": np.arange(count)[::-1]}
    order = next((name for name, order in orders.items() if np.array_equal(places, order)), "other")
    return Match(order, match.opposite, count) if match.opposite or order != "same" else None


def _in_place(one: npt.NDArray[np.float64], two: npt.NDArray[np.float64]) -> Match | None:
    """Rows that agree but for their signs."""
    if one.shape[1] < SHORTEST:
        return None
    signs = np.where(np.einsum("ij,ij->i", one, two) < 0, -1.0, 1.0)
    apart = np.linalg.norm(one - signs[:, None] * two, axis=1)
    if np.any(apart > limits.SAME_VECTOR * np.linalg.norm(two, axis=1)):
        return None
    return Match("same", int(np.count_nonzero(signs < 0)), len(signs))


def _are_near(one: npt.NDArray[np.float64], two: npt.NDArray[np.float64]) -> bool:
    return bool(np.linalg.norm(one - two) <= limits.SAME_VECTOR * np.linalg.norm(two))
