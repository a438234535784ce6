"""Compensated sums: programs that carry the error of each addition along, and so are no tree of additions."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]


@dataclass(frozen=True)
class Program:
    """A way to add terms one after the other.

    Attributes:
        name: as the field calls it. add: (terms, outputs) of the terms -> their sums, in the accumulator's format.
    """

    name: str
    add: Callable[[Array], Array]


def _kahan(terms: Array) -> Array:
    total = np.zeros(terms.shape[1:], terms.dtype)
    error = np.zeros_like(total)
    for term in terms:
        corrected = term - error
        moved = total + corrected
        error = (moved - total) - corrected
        total = moved
    return total


def _kahan_corrected(terms: Array) -> Array:
    """Kahan's sum with the last correction added."""
    total = np.zeros(terms.shape[1:], terms.dtype)
    error = np.zeros_like(total)
    for term in terms:
        corrected = term + error
        moved = total + corrected
        error = corrected - (moved - total)
        total = moved
    return total + error


def _carried(terms: Array, error: Callable[[Array, Array, Array], Array]) -> Array:
    """The errors of all additions are added by themselves, and to the sum at the end; `error` of (sum, term, new sum)."""
    total = np.zeros(terms.shape[1:], terms.dtype)
    errors = np.zeros_like(total)
    for term in terms:
        moved = total + term
        errors = errors + error(total, term, moved)
        total = moved
    return total + errors


def _of_larger(total: Array, term: Array, moved: Array) -> Array:
    """Neumaier's: exact, with a comparison."""
    return np.where(np.abs(total) >= np.abs(term), (total - moved) + term, (term - moved) + total)


def _of_two_sum(total: Array, term: Array, moved: Array) -> Array:
    """Knuth's TwoSum: exact, without a comparison."""
    virtual = moved - total
    return (total - (moved - virtual)) + (term - virtual)


def _exact(terms: Array) -> Array:
    flat = terms.reshape(len(terms), -1).astype(np.float64)
    return np.array([math.fsum(column) for column in flat.T]).reshape(terms.shape[1:])


PROGRAMS = (
    Program("Kahan's compensated summation", _kahan),
    Program("Kahan's compensated summation with the last correction added", _kahan_corrected),
    Program("Neumaier's compensated summation", lambda terms: _carried(terms, _of_larger)),
    Program("compensated summation with TwoSum (Sum2 of Ogita, Rump and Oishi)", lambda terms: _carried(terms, _of_two_sum)),
    Program("exact summation rounded once", _exact),
)


def programs(terms: Array, accumulators: tuple[str, ...]) -> Iterator[tuple[str, Array]]:
    """The sums that each program gives, with its name in words.

    Args:
        terms: (terms, outputs), in the format that they have. accumulators: formats to add in, by name.
    """
    for accumulator in accumulators:
        wide = terms.astype(accumulator)
        beyond = "" if accumulator == str(terms.dtype) else f" in {accumulator}"
        for program in PROGRAMS:
            for order, words in ((wide, ""), (wide[::-1], " from the last term to the first")):
                if program.add is _exact and order is not wide:
                    continue
                with np.errstate(all="ignore"):
                    yield f"{program.name}{beyond}{words}", program.add(order)
