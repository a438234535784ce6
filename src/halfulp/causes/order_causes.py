"""Causes in the order of summation: what distinguishes the orders of both sides, one thing at a time, each tried by replaying it."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from .. import probes
from ..cases import Case, OutOfTime
from ..cases.sides import repeatable
from ..differences import Leaf
from ..errors import HalfulpError
from ..orders import Order
from ..probes import RevealedOrder
from ..probes.implementation import Implementation
from ..probes.match import values_of
from ..probes.revealed import PositionClass
from ..words.numbers import counted
from .cause import Cause, Experiment
from .laboratory import Laboratory

ORDERS = "revealing the orders of summation"

PATIENCE_S = 5.0
"""Orders that would take longer to ask for are left: settings explain most large sums."""
LARGEST = 1 << 28
"""Multiplications that a replay makes at most: about a second."""

Part = tuple[str, str, Callable[[Order, Order], Order]]


def _parts(expected: Order, actual: Order) -> Iterator[Part]:
    """What distinguishes two orders: a name, words, and the first order with that part of the second."""
    if expected.tree != actual.tree:
        moved = expected.extras == actual.extras and expected.tree.without_extras() == actual.tree.without_extras()
        name = f"{' and '.join(expected.extras)} position" if moved else "order of summation"
        yield name, actual.diff(expected), lambda own, other: dataclasses.replace(own, tree=other.tree, extras=other.extras)
    if (expected.fma, expected.unfused) != (actual.fma, actual.unfused):
        words = "products added without rounding (FMA)" if actual.fma else "products rounded before they are added"
        if actual.fma and expected.fma:
            words = "other products rounded before they are added"
        yield "FMA", words, lambda own, other: dataclasses.replace(own, fma=other.fma, unfused=other.unfused)
    if expected.accumulator != actual.accumulator:
        yield (
            "accumulator format",
            f"partial sums kept in {actual.accumulator}",
            lambda own, other: dataclasses.replace(own, accumulator=other.accumulator),
        )
    if expected.rounds_before_extras != actual.rounds_before_extras:
        when = "before" if actual.rounds_before_extras else "after"
        yield (
            f"{' and '.join(expected.extras)} position",
            f"the sum rounded {when} the bias is added",
            lambda own, other: dataclasses.replace(own, rounds_before_extras=other.rounds_before_extras),
        )
    if expected.scale != actual.scale:
        yield "scale of a mean", "the scaling of the sum done differently", lambda own, other: dataclasses.replace(own, scale=other.scale)


def order_causes(laboratory: Laboratory) -> list[Cause]:
    """The parts of the order of summation that make the difference; empty where a side is no single sum or has no proved order."""
    case = laboratory.case
    if case.gradients or len(laboratory.native["actual"]) != 1 or laboratory.hurries(ORDERS):
        return []
    laboratory.progress("revealing the orders of summation")
    try:
        found = {name: _revealed(laboratory, name) for name in ("actual", "expected")}
        with case.expected.unchanged(), repeatable(case.seed):
            inputs = values_of(Implementation(case.expected.eager.function, case.inputs, dict(case.keywords)))
    except OutOfTime:
        laboratory.stop(ORDERS)
        return []
    except (HalfulpError, RuntimeError, TypeError, ValueError):  # no sum, no floating-point inputs, a function that needs these inputs
        return []
    actual, expected = found["actual"], found["expected"]
    if not (actual.is_proved and expected.is_proved) or expected.contraction.positions * actual.order.tree.terms > LARGEST:
        return []
    pairs = list(_pairs(expected, actual))
    parts = {name: (words, change) for one, other, _ in pairs for name, words, change in _parts(one, other)}
    causes = [_tried(laboratory, expected, pairs, inputs, name, words, change) for name, (words, change) in parts.items()]
    return sorted((cause for cause in causes if cause is not None), key=lambda cause: -cause.share)


def _revealed(laboratory: Laboratory, name: str) -> RevealedOrder:
    case = laboratory.case
    side = case.side(name)
    patience_s = min(PATIENCE_S, laboratory.seconds_left() / 2)  # for each of a few rounds of questions
    with side.unchanged(), repeatable(case.seed):
        return probes.order(_timed(case, name, side.eager.function), case.inputs, keywords=dict(case.keywords), patience_s=patience_s)


def _timed(case: Case, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, whose runs end with the time of the case."""
    deadline = case.deadline
    if deadline is None:
        return function

    @functools.wraps(function)
    def run(*arguments: Any, **keywords: Any) -> Any:
        with deadline.run(name):
            return function(*arguments, **keywords)

    return run


def _pairs(expected: RevealedOrder, actual: RevealedOrder) -> Iterator[tuple[Order, Order, PositionClass]]:
    """The orders of both sides at each group of positions that share both."""
    for expected_class in expected.classes:
        for actual_class in actual.classes:
            shared = np.intersect1d(expected_class.positions, actual_class.positions)
            if len(shared) and expected_class.order is not None and actual_class.order is not None:
                yield expected_class.order, actual_class.order, dataclasses.replace(expected_class, positions=shared)


def _tried(
    laboratory: Laboratory,
    expected: RevealedOrder,
    pairs: list[tuple[Order, Order, PositionClass]],
    inputs: list[np.ndarray],
    name: str,
    words: str,
    change: Callable[[Order, Order], Order],
) -> Cause | None:
    """Replay `expected`'s order with one part of `actual`'s: does that give `actual`?"""
    classes = tuple(dataclasses.replace(group, order=change(own, other)) for own, other, group in pairs)
    leaf = laboratory.native["actual"][0]
    try:
        replayed = dataclasses.replace(expected, classes=classes).replay(inputs).reshape(leaf.shape)
    except HalfulpError:
        return None
    distance = (
        laboratory.scale.distance(laboratory.native["actual"], (Leaf(leaf.path, leaf.dtype, replayed, leaf.format),))
        if not leaf.holds_bits
        else None
    )
    if distance is None:
        return None
    share = distance.share_gone(laboratory.before)
    laboratory.experiments.append(
        Experiment(name, words, "expected", "", share=share, touched=None, in_noise=distance.rms, touches=("sums",), note="replayed")
    )
    if share < SHARED:
        return None
    one, other, _ = pairs[0]
    agree = distance.count - distance.unequal
    return Cause(
        name, "order", f"`actual` adds differently from `expected`: {words}. The difference is rounding.", min(1.0, share),
        evidence=(
            ("Replaying the order of `expected` with this one part taken from `actual` reproduces every bit of "
f"`actual` in {agree:,} of {counted(distance.count, 'result')}."),
            f"`expected`: {one.describe()}.", f"`actual`: {other.describe()}.",
        ),
        remedy="none is needed; to get the same bits, add in the same order (`halfulp order --emit FOLDER` writes a program that does); to compare results that differ in rounding, use the tolerance from halfulp.tolerance", confidence="high" if distance.count > 1 else "medium", side="expected", place="",
        reports=("discuss.pytorch.org/t/129237",) if "position" in name else (),
    )  # fmt: skip


SHARED = 0.05
"""A part that takes away less than a twentieth of a rounding difference is not among its causes: rounding drawn anew moves the share by
about the inverse root of the number of results."""
