"""Is a result that of a common order? Families are replayed on the user's inputs and bits compared; nothing is probed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ..orders import Contraction, Order
from ..orders.families import candidates, family_of
from ..orders.replayed import replay
from .implementation import Implementation

FIRST = 64
"""Outputs compared first; most families fail there."""

COMPARED = 1 << 30
"""Products replayed for an order that passes there, at most (0.1 s): all outputs are compared or none, since a single one may be wrong."""


@dataclass(frozen=True)
class Match:
    """A common order that gives a result.

    Attributes:
        order: the order. name: its family. outputs: how many outputs there are; every bit of them agrees.
    """

    order: Order
    name: str
    outputs: int


def common_order(
    contraction: Contraction, inputs: list[npt.NDArray[Any]], result: npt.NDArray[Any], output: str, term: str
) -> Match | None:
    """The common order whose replay gives a result in every bit.

    Args:
        contraction: what is summed. inputs: the values. result: what an implementation gave for them, in any shape.
        output, term: the formats of the result and of the terms' factors, by name.

    Returns:
        None where none does, or where there are too many products to replay. Sums are kept in float32 or wider: a coarser accumulator is no
        rounding of the declared precision.
    """
    flat = result.reshape(-1).astype(np.float64)
    few = _spread(len(flat), FIRST)
    if contraction.positions * contraction.terms > COMPARED or contraction.terms < 1:
        return None
    for order in _orders(contraction, output, term):
        if np.array_equal(replay(order, contraction, inputs, few), flat[few]) and np.array_equal(
            replay(order, contraction, inputs).reshape(-1), flat
        ):
            return Match(order, family_of(order) or order.describe(), len(flat))
    return None


def values_of(implementation: Implementation) -> list[npt.NDArray[Any]]:
    """The user's values of the floating-point inputs."""
    return [argument.values for argument in implementation.arguments]


def _spread(count: int, most: int) -> npt.NDArray[np.int64]:
    return np.unique(np.linspace(0, count - 1, min(count, most)).astype(np.int64))


def _orders(contraction: Contraction, output: str, term: str) -> Iterator[Order]:
    products, extras = len(contraction.factors) > 1, len(contraction.extras)
    names = tuple(extra.name for extra in contraction.extras)
    accumulators = ("float64",) if term == "float64" else ("float32", "float64")
    for _, made in candidates(contraction.terms, extras, products=products):
        tree = made()
        for accumulator in accumulators:
            exact = not products or (accumulator, term) not in (("float32", "float32"), ("float64", "float64"))
            for fma in (None,) if exact else (True, False):
                for late in (False, True) if extras and accumulator != output else (False,):
                    yield Order(tree, contraction.axes, products, names, fma, accumulator, output, "nearest", late)
