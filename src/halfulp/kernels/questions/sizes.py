"""Sizes: next to the problem's, at the borders of the solution's blocks, and far from both."""

from __future__ import annotations

import contextlib
import itertools
import math
import re
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import torch

from ...cases.trees import found_in
from ...errors import HalfulpError
from ...inputs import variants
from ..problems.calls import Setting, is_real, leaves, state_of, with_leaves
from ..problems.problem import CHOICE, LARGEST, Problem, count_of
from ..promises.promises import Promises
from .footprint import is_large_inside
from .pace import Pace
from .question import Question

PRIMES = (2, 3, 5, 7, 13, 17, 31, 61, 97, 127, 257, 509, 1021)
"""Sizes that no block divides, about two for each power of two."""


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
    most = max(LARGEST, 2 * count_of(given))
    draws = _Draws(problem, seed)
    yield from _together(problem, given, seed, most)
    asked: set[tuple[str, int]] = set()
    own: set[tuple[int, int]] = set()
    steps = sorted({step for step in problem.sizes.values() if step > 1})
    plans = [
        (name, value, other) for name, value in problem.sizes.items()
        for other in dict.fromkeys((*_next_to(limits.get(name, ()), value), *_others(value, blocks, steps)))
    ]  # fmt: skip
    is_long = False
    waiting = sorted(plans, key=_rank)
    while waiting:
        name, value, other = waiting.pop(0)
        if other in BEYOND and not is_long:
            is_long = True
            yield from _long_questions(problem, promises, seed, most, draws)
        if (name, other) in asked or (other == 1 and "#" in name):  # one of two lengths alone: that it is broadcast is no promise
            continue
        asked.add((name, other))
        sizes = {name: other}
        if draws.takes_long(name, other):
            continue
        if other > FAR * value and not _fits(problem, sizes, seed, most, given):
            sizes = next((cut for cut in _cut(problem, name, other) if _fits(problem, cut, seed, most, given)), {})
            if other not in BEYOND or not sizes:
                continue
        try:
            setting = draws.draw(sizes)
        except REFUSALS:
            waiting = _multiples_first(waiting, name) if other == value + 1 else waiting
            continue
        changed = _changed_axes(setting.arguments, given.arguments)
        is_length = bool(changed)
        if (
            not changed.isdisjoint(fixed)
            or _numbers_fall_below_zero(setting, given)
            or (
                not is_length
                and (_is_no_number(name, value, other) or _becomes_infinite(setting, given) or not promises.hold(setting.arguments))
            )
        ):
            continue
        own |= changed
        if count_of(setting) <= most:
            label = f"{size_in_words(name)}: {other} instead of {value}{', the other sizes small' if len(sizes) > 1 else ''}"
            is_empty = any(not tensor.numel() for tensor in (*leaves(setting.arguments), *setting.state.values()))
            # Past 16 bits it is places that are asked, and not digits.
            blunt = other in BEYOND
            question = Question("sizes", label, setting, exotic=is_empty, far=other > FAR * value, sizes=sizes, blunt=blunt)
            yield question
            yield from _beyond(question, other, promises) if other in BEYOND else ()
            waiting = _multiples_first(waiting, name) if other == value + 1 and name in refused else waiting
    if not is_long:
        yield from _long_questions(problem, promises, seed, most, draws)
    for variant in variants(given.arguments, seed):
        arguments = promises.kept(variant.inputs) if variant.kind in ("sizes", "empty") else None
        # An axis whose length is one of the problem's sizes, or computed from some, changes with all that belongs to it: that was asked.
        changed = _changed_axes(variant.inputs, given.arguments)
        is_own = (variant.kind == "sizes" and not own.isdisjoint(changed)) or not changed.isdisjoint(fixed)
        if arguments is not None and not is_own and not _broadcasts(arguments, given):
            yield Question("sizes", variant.label, replace(given, arguments=arguments), exotic=variant.kind == "empty")


def _is_no_number(name: str, value: int, other: int) -> bool:
    """Whether what is no length can't be that: five times as many bits are none, and times zero is an input that is all zero."""
    return other == SEVERAL * value + 1 or (other == 0 and not PADDING.search(name))


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


def _becomes_infinite(setting: Setting, given: Setting) -> bool:
    """Whether inputs that were finite no longer are, as when x ** 2 becomes x ** 65."""
    pairs = zip(leaves(setting.arguments), leaves(given.arguments))
    return any(is_real(new) and bool(old.isfinite().all()) and not bool(new.isfinite().all()) for new, old in pairs)


def _next_to(limits: Collection[int], value: int) -> list[int]:
    """The limits that the problem names, and those one inside; what is outside, it excludes."""
    return [other for limit in limits for other in (limit, limit - 1, limit + 1) if other not in (0, value)]


def _multiples_first(waiting: list[tuple[str, int, int]], name: str) -> list[tuple[str, int, int]]:
    """The remaining sizes with the next larger one of that name (less than twice as large) moved to the front."""
    found = next((plan for plan in waiting if plan[0] == name and plan[1] < plan[2] < 2 * plan[1]), None)
    return waiting if found is None else [found, *(plan for plan in waiting if plan is not found)]


def _beyond(question: Question, other: int, promises: Promises) -> Iterator[Question]:
    """A size past 16 bits, with rising numbers, and with all integers equal."""
    rising, alike = _rising(question.setting, other), _alike(question.setting, other)
    if rising is not None and promises.kept(rising.arguments) is not None:
        yield replace(question, label=f"{question.label}, and numbers rising", setting=rising, exotic=False, far=True)
    if alike is not None:
        yield replace(question, label=f"{question.label}, and whole numbers all the same", setting=alike, exotic=False, far=True)


def rank_questions(given: Setting, open_axes: Mapping[int, int]) -> Iterator[Question]:
    """One leading axis more, and one fewer, if the problem allows any number of them.

    Args:
        open_axes: the inputs of which it says so, with how many axes they have beside these.
    """
    tensors = leaves(given.arguments)
    leading = {tuple(tensors[place].shape[: tensors[place].dim() - own]) for place, own in open_axes.items()}
    if len(leading) != 1 or not (lengths := leading.pop()):
        return
    more = (2, lengths[0] // 2, *lengths[1:]) if lengths[0] % 2 == 0 else (1, *lengths)
    fewer = (math.prod(lengths),) if len(lengths) > 1 else ()
    for axes in (more, fewer):
        changed = {
            place: (tensors[place] if axes else tensors[place][0]).reshape(*axes, *tensors[place].shape[tensors[place].dim() - own :])
            for place, own in open_axes.items()
        }
        label = f"leading axes of lengths {tuple(axes)} instead of {lengths}" if axes else "no leading axis"
        yield Question("sizes", label, replace(given, arguments=with_leaves(given.arguments, changed)), promised=True)


def axis_questions(given: Setting, axes: Mapping[str, Collection[tuple[int, int]]]) -> Iterator[Question]:
    """Axes of equal length with different names, each shortened by a quarter in turn: images may be square by chance.

    Args:
        axes: the places of inputs and their axes, by the name that the problem's text gives them.
    """
    tensors = leaves(given.arguments)
    lengths = {name: {tensors[place].shape[axis] for place, axis in found} for name, found in axes.items()}
    for name, found in axes.items():
        length = next(iter(lengths[name]))
        if len(lengths[name]) > 1 or length < 4 or sum(own == lengths[name] for own in lengths.values()) < 2:
            continue
        shorter = length - length // 4
        changed: dict[int, torch.Tensor] = {}
        for place, axis in found:
            changed[place] = changed.get(place, tensors[place]).narrow(axis, 0, shorter)
        changed = {place: tensor.contiguous() for place, tensor in changed.items()}
        setting = replace(given, arguments=with_leaves(given.arguments, changed))
        yield Question("sizes", f"axis {name}: {shorter} instead of {length}", setting)


def _together(problem: Problem, given: Setting, seed: int, most: int) -> Iterator[Question]:
    """All sizes at once, in proportion: divisors still divide, and no size is a power of two."""
    lengths = {name: value for name, value in problem.sizes.items() if _is_length(problem, given, seed, name, value)}
    for over, under in PROPORTIONS:
        sizes = _in_proportion(lengths, over, under)
        if not sizes or (over > under and not _fits(problem, sizes, seed, most, given)):
            continue
        try:
            setting = problem.draw(seed, sizes)
        except REFUSALS:
            continue
        label = ", ".join(f"{size_in_words(name)}: {size} instead of {problem.sizes[name]}" for name, size in sizes.items())
        yield Question("sizes", label, setting, sizes=sizes, far=over > 2 * under)


PROPORTIONS = ((3, 4), (3, 2), (5, 2))
"""Fractions for all sizes at once: they take a window, and the sequence that it slides over, past the first two blocks."""


def _is_length(problem: Problem, given: Setting, seed: int, name: str, value: int) -> bool:
    """Whether a size is the length of an axis. A literal may be an exponent or a factor."""
    if "#" in name:
        return False
    if name.isidentifier():
        return True
    try:
        with torch.device("meta"):
            changed = problem.draw(seed, {name: 2 * value})
    except Exception:  # whatever code makes of tensors without numbers
        return True
    return bool(_changed_axes(changed.arguments, given.arguments)) or changed.init != given.init


def _in_proportion(own: Mapping[str, int], over: int, under: int) -> dict[str, int]:
    """The sizes that `under` divides, changed; except where that would leave a divisor that no longer divides."""
    changed = {name: over * value // under for name, value in own.items() if value % under == 0 and value}
    sizes: dict[str, int] = {}
    while sizes != changed:
        sizes = changed
        after = {**own, **sizes}
        apart = {
            name for part, whole in itertools.permutations(own, 2) for name in (part, whole)
            if own[part] > 1 and own[whole] % own[part] == 0 and after[whole] % after[part]
        }  # fmt: skip
        changed = {name: size for name, size in sizes.items() if name not in apart}
    return sizes


def _cut(problem: Problem, name: str, other: int) -> Iterator[dict[str, int]]:
    """One size, with the others reduced as far as needed: indices of few bits are tested past their range all the same."""
    for most in SMALLER:
        smaller = {each: most for each, value in problem.sizes.items() if each != name and value > most and each.isidentifier()}
        if smaller:
            yield {name: other, **smaller}


SMALLER = (16, 4, 2)
"""What the other sizes become: even, as many have to be."""


def _rank(plan: tuple[str, int, int]) -> int:
    """The most telling first: one more, several times as large, half and twice as large where it divides another, one less."""
    _, value, other = plan
    first = (value + 1, SEVERAL * value + 1, value // 2, 2 * value, value - 1)
    return first.index(other) if other in first else len(first) + (other in BEYOND)


def _changed_axes(arguments: tuple[Any, ...], given: tuple[Any, ...]) -> set[tuple[int, int]]:
    """The axes of each tensor whose lengths differ; all axes if their number does."""
    pairs = list(enumerate(zip(leaves(arguments), leaves(given))))
    return {
        (place, axis)
        for place, (new, old) in pairs
        for axis in range(old.dim())
        if new.dim() != old.dim() or new.shape[axis] != old.shape[axis]
    }


def _long_questions(problem: Problem, promises: Promises, seed: int, most: int, draws: _Draws) -> Iterator[Question]:
    """One size many times larger, with positive numbers: a sum in few bits stalls."""
    for name, value in problem.sizes.items():
        drawable = (times * value + 1 for times in MANY if not draws.takes_long(name, times * value + 1))
        longest = next((size for size in drawable if _fits(problem, {name: size}, seed, most)), 0)
        if not name.isidentifier() or not longest:
            continue
        try:
            setting = problem.draw(seed, {name: longest})
        except REFUSALS:
            continue
        floats = {place: tensor.abs() for place, tensor in enumerate(leaves(setting.arguments)) if is_real(tensor)}
        arguments = promises.kept(with_leaves(setting.arguments, floats))
        if arguments is not None and floats:
            label = f"{size_in_words(name)}: {longest} instead of {value}, all numbers positive"
            yield Question("sizes", label, replace(setting, arguments=arguments), sizes={name: longest}, far=True)


def _alike(setting: Setting, least: int) -> Setting | None:
    """The setting with all elements equal in every long tensor of integers: a histogram then counts one value as often as possible."""
    kinds = (torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64)
    long = {place: tensor for place, tensor in enumerate(leaves(setting.arguments)) if tensor.dtype in kinds and tensor.numel() >= least}
    changed = {place: torch.full_like(tensor, int(tensor.reshape(-1)[0])) for place, tensor in long.items()}
    return replace(setting, arguments=with_leaves(setting.arguments, changed)) if changed else None


def _rising(setting: Setting, length: int) -> Setting | None:
    """The setting with numbers that rise along every long axis: the largest is last, and its index needs the most bits."""
    changed: dict[int, torch.Tensor] = {}
    for place, tensor in enumerate(leaves(setting.arguments)):
        axes = [axis for axis, own in enumerate(tensor.shape) if own == length]
        if is_real(tensor) and axes:
            changed[place] = tensor.sort(dim=axes[0]).values
    return replace(setting, arguments=with_leaves(setting.arguments, changed)) if changed else None


def size_in_words(name: str) -> str:
    """The name of a size in `Problem.sizes`, in words."""
    number, _, place = name.partition("#")
    return name if name.isidentifier() else f"the number {number}{f' at its place {place}' if place else ''}"


def _broadcasts(arguments: tuple[Any, ...], given: Setting) -> bool:
    """Whether an axis as long as one of a parameter became 1, so that the reference broadcasts it: the problem doesn't promise that."""
    lengths = {length for tensor in given.state.values() for length in tensor.shape}
    pairs = zip(leaves(arguments), leaves(given.arguments))
    return any(after == 1 < before and before in lengths for new, old in pairs for after, before in zip(new.shape, old.shape))


REFUSALS = (HalfulpError, MemoryError, RuntimeError, ValueError, TypeError, IndexError, AssertionError, ZeroDivisionError)
"""What a problem raises for sizes that don't fit together."""
MOST_DRAW_S = 1.0
"""How long one draw may take, by an estimate from the largest size so far."""
FAR = 3
"""Times a size: larger sizes may need more memory than there is, so their elements are counted before they are drawn."""


class _Draws:
    """Estimates how long a problem takes to draw its inputs: sizes at which that takes long are not tried."""

    def __init__(self, problem: Problem, seed: int) -> None:
        self._problem, self._seed = problem, seed
        self._pace = Pace()

    def draw(self, sizes: Mapping[str, int]) -> Setting:
        """Draw the inputs, and note how long that took."""
        start = time.monotonic()
        setting = self._problem.draw(self._seed, sizes)
        for name, size in sizes.items() if len(sizes) == 1 else ():
            self._pace.note(name, size, time.monotonic() - start)
        return setting

    def takes_long(self, name: str, size: int) -> bool:
        """Whether drawing this size would take too long, if time grows in proportion."""
        return (self._pace.seconds(name, size) or 0.0) > MOST_DRAW_S


def _fits(problem: Problem, changes: Mapping[str, int], seed: int, most: int, given: Setting | None = None) -> bool:
    """Whether inputs of other sizes, and what is computed from them, stay small: by a draw without numbers, or by their growth."""
    try:
        with torch.device("meta"):
            setting = problem.draw(seed, changes)
            target = problem.make(setting.init)
            return count_of(replace(setting, state=state_of(target))) <= most and not is_large_inside(target, setting)
    except Exception:  # whatever code makes of tensors without numbers
        return False if given is None else _grown(problem, changes) * count_of(given) <= most


def _grown(problem: Problem, changes: Mapping[str, int]) -> float:
    """How many times as many elements there may be, if each changed size is that of two axes."""
    return math.prod(max(1.0, size / max(1, problem.sizes.get(name, size))) ** 2 for name, size in changes.items())


def _others(value: int, blocks: Sequence[int], steps: Sequence[int]) -> list[int]:
    """Other values for a size; if it must be a multiple of another size, the next multiples."""
    if not value:  # it is a choice, and no size
        return [1]
    prime = max((prime for prime in PRIMES if prime < value), default=0)
    multiple = -(-value // 16) * 16 + 1
    multiples = [value + sign * step for step in steps if step < value and value % step == 0 for sign in (1, -1)]
    beyond = (
        *(size for block in blocks if block > value for size in (block + 1, 2 * block + 1)),
        *(limit for limit in BEYOND if limit > value),
    )
    alike = [step for step in steps if step != value][:ALIKE_SIZES]
    halves = (value // 2, 2 * value) if any(step > value and step % value == 0 for step in steps) else ()
    none = (0,) if value <= CHOICE else ()
    few = (FEW,) if value > 2 * FEW else ()
    unlike = (UNLIKE * max(parts),) if (parts := [step for step in steps if step < value and value % step == 0]) else ()
    others = (
        value - 1, value + 1, *halves, *multiples[:4], *alike, 1, *few, *none, prime, multiple, 2 * value + 1, SEVERAL * value + 1,
        *unlike, *beyond,
    )  # fmt: skip
    return [other for other in dict.fromkeys(others) if other != value and (other > 0 or other == 0 < value)]


PADDING = re.compile("pad(?:ding|s)?$", re.IGNORECASE)
"""Names of what is zero as a rule, though it is no length."""
SEVERAL = 5
"""Times a size: dividing it into a fixed number of pieces leaves a remainder."""
FEW = 5
"""Probably shorter than what slides over it, and longer than 1: when rounded up to a power of two, more than half is used."""
UNLIKE = 41
"""The smallest integer n with n * (1 / n) < 1 in float32: a quotient computed that way and truncated is one too small."""
ALIKE_SIZES = 2
"""How many of a problem's other sizes a size is made equal to: code that finds an axis by its length then finds another."""
MANY = (128, 16)
"""Times a size, the largest that memory allows: sums of so many positive numbers stall in few bits."""
BEYOND = ((3 << 14) + 1, (3 << 15) + 1)
"""Sizes of which a third is past the range of 16 bits, signed and unsigned, so that a chosen index may lie there."""
