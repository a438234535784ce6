"""Sizes: next to the problem's, at the borders of the solution's blocks, and far from both."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from ...cases.trees import found_in
from ...inputs import variants
from ..problems.calls import Setting, changed_axes, is_real, leaves
from ..problems.problem import Problem, count_of
from ..promises.promises import Promises
from .axes import broadcasts
from .drawing import FAR, REFUSALS, Draws
from .far_sizes import beyond_questions, long_questions
from .other_sizes import BEYOND, SEVERAL, next_to, other_sizes, rank
from .proportions import proportion_questions
from .question import Question, size_in_words

PADDING = re.compile("pad(?:ding|s)?$", re.IGNORECASE)
"""Names of what is zero as a rule, though it is no length."""


def size_questions(
    problem: Problem,
    given: Setting,
    promises: Promises,
    seed: int,
    blocks: Sequence[int] = (),
    refused: Collection[str] = (),
    fixed: Collection[tuple[int, int]] = (),
    limits: Mapping[str, Collection[int]] = MappingProxyType({}),
) -> Iterator[Question]:
    """All sizes in proportion; then each one less, one more, 1, a prime, past the next vector register; the nearest first.

    Args:
        blocks: numbers that the solution's source names, which may be those of its blocks: each size is one more than these too.
        refused: the names of sizes that can't be one larger; the caller adds them as it goes. Their next multiple is asked at once.
        fixed: inputs and their axes that have one length alone. limits: of sizes, the smallest and the largest that the problem names.
    """
    draws = Draws(problem, given, seed)
    yield from proportion_questions(problem, given, draws)
    asked: set[tuple[str, int]] = set()
    own: set[tuple[int, int]] = set()
    steps = sorted({step for step in problem.sizes.values() if step > 1})
    plans = [
        (name, value, other) for name, value in problem.sizes.items()
        for other in dict.fromkeys((*next_to(limits.get(name, ()), value), *other_sizes(value, blocks, steps)))
    ]  # fmt: skip
    is_long = False
    waiting = sorted(plans, key=rank)
    while waiting:
        name, value, other = waiting.pop(0)
        if other in BEYOND and not is_long:
            is_long = True
            yield from long_questions(draws, promises)
        if (name, other) in asked or (other == 1 and "#" in name):  # one of two lengths alone: that it is broadcast is no promise
            continue
        asked.add((name, other))
        sizes = {name: other}
        if draws.takes_long(name, other):
            continue
        if other > FAR * value and not draws.fits(sizes):
            sizes = draws.cut(name, other)
            if other not in BEYOND or not sizes:
                continue
        try:
            setting = draws.draw(sizes)
        except REFUSALS:
            waiting = _multiples_first(waiting, name) if other == value + 1 else waiting
            continue
        changed = changed_axes(setting.arguments, given.arguments)
        is_possible = bool(changed) or _may_be(name, value, other, setting, given, promises)
        if not is_possible or not changed.isdisjoint(fixed) or _numbers_fall_below_zero(setting, given):
            continue
        own |= changed
        if count_of(setting) <= draws.most:
            label = f"{size_in_words(name)}: {other} instead of {value}{', the other sizes small' if len(sizes) > 1 else ''}"
            is_empty = any(not tensor.numel() for tensor in (*leaves(setting.arguments), *setting.state.values()))
            # Past 16 bits it is places that are asked, and not digits.
            blunt = other in BEYOND
            question = Question("sizes", label, setting, exotic=is_empty, far=other > FAR * value, sizes=sizes, blunt=blunt)
            yield question
            yield from beyond_questions(question, other, promises) if other in BEYOND else ()
            waiting = _multiples_first(waiting, name) if other == value + 1 and name in refused else waiting
    if not is_long:
        yield from long_questions(draws, promises)
    yield from _variant_questions(given, promises, seed, own, fixed)


def _variant_questions(
    given: Setting, promises: Promises, seed: int, own: Collection[tuple[int, int]], fixed: Collection[tuple[int, int]]
) -> Iterator[Question]:
    """Axes of one length, in all inputs at once, shorter, longer and empty.

    Args:
        own: axes that change with one of the problem's sizes, which was asked. fixed: see `size_questions`.
    """
    for variant in variants(given.arguments, seed):
        arguments = promises.kept(variant.inputs) if variant.kind in ("sizes", "empty") else None
        changed = changed_axes(variant.inputs, given.arguments)
        is_own = (variant.kind == "sizes" and not changed.isdisjoint(own)) or not changed.isdisjoint(fixed)
        if arguments is not None and not is_own and not broadcasts(arguments, given):
            yield Question("sizes", variant.label, replace(given, arguments=arguments), exotic=variant.kind == "empty")


def longer_size_questions(problem: Problem, seed: int) -> Iterator[Question]:
    """Each size several times as large, plus one."""
    for name, value in problem.sizes.items():
        changes = {name: SEVERAL * value + 1}
        with contextlib.suppress(*REFUSALS):
            setting = problem.draw(seed, changes)
            yield Question("sizes", f"{size_in_words(name)}: {changes[name]} instead of {value}", setting, far=True, sizes=changes)


def _numbers_fall_below_zero(setting: Setting, given: Setting) -> bool:
    """Whether an integer argument that was not negative is now, such as the second to last of a single class."""
    numbers = [[part for part in found_in(found.arguments, int) if type(part) is int] for found in (setting, given)]
    return len(numbers[0]) == len(numbers[1]) and any(new < 0 <= old for new, old in zip(*numbers))


def _may_be(name: str, value: int, other: int, setting: Setting, given: Setting, promises: Promises) -> bool:
    """Whether a number that is no length may be another one.

    Five times as many bits are none, times zero is an input that is all zero, and x ** 65 is infinite.
    """
    if other == SEVERAL * value + 1 or (other == 0 and not PADDING.search(name)):
        return False
    pairs = zip(leaves(setting.arguments), leaves(given.arguments))
    is_infinite = any(is_real(new) and bool(old.isfinite().all()) and not bool(new.isfinite().all()) for new, old in pairs)
    return not is_infinite and promises.hold(setting.arguments)


def _multiples_first(waiting: list[tuple[str, int, int]], name: str) -> list[tuple[str, int, int]]:
    """The remaining sizes with the next larger one of that name (less than twice as large) moved to the front."""
    found = next((plan for plan in waiting if plan[0] == name and plan[1] < plan[2] < 2 * plan[1]), None)
    return waiting if found is None else [found, *(plan for plan in waiting if plan is not found)]
