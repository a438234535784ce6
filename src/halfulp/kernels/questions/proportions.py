"""Proportions: all sizes of a problem changed at once, so that what divides another still does."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Iterator, Mapping

import torch

from ..problems.calls import Setting, changed_axes, same_arguments
from ..problems.problem import Problem
from .drawing import REFUSALS, Draws
from .question import Question, size_in_words

PROPORTIONS = ((3, 4), (3, 2), (5, 2))
"""Fractions for all sizes at once: they take a window, and the sequence that it slides over, past the first two blocks."""


def proportion_questions(problem: Problem, given: Setting, draws: Draws) -> Iterator[Question]:
    """All sizes at once, in proportion: divisors still divide, and no size is a power of two."""
    lengths = {name: value for name, value in problem.sizes.items() if _is_length(problem, given, draws.seed, name, value)}
    for over, under in PROPORTIONS:
        sizes = _in_proportion(lengths, over, under)
        if not sizes or (over > under and not draws.fits(sizes)):
            continue
        try:
            setting = problem.draw(draws.seed, sizes)
        except REFUSALS:
            continue
        yield Question("sizes", _label(problem, sizes), setting, sizes=sizes, far=over > 2 * under)
    yield from itertools.islice(_doubled(problem, given, draws.seed, lengths), MOST_DOUBLED)


MOST_DOUBLED = 2
"""How many pairs of a size of 1 and one of 2 are doubled."""
TOGETHER = len(PROPORTIONS) + MOST_DOUBLED
"""The most questions about several sizes at once."""


def _doubled(problem: Problem, given: Setting, seed: int, lengths: Mapping[str, int]) -> Iterator[Question]:
    """One group of two heads becomes two groups of two: `h % groups` and `h // heads_per_group` agree for one group, and for two of one."""

    def are_axes(changes: Mapping[str, int]) -> bool:
        with contextlib.suppress(*REFUSALS):
            return bool(changed_axes(problem.draw(seed, changes).arguments, given.arguments))
        return False

    ones, twos = (
        [name for name, value in lengths.items() if value == number and name.isidentifier() and are_axes({name: 2 * number})]
        for number in (1, 2)
    )
    for sizes in ({one: 2, two: 4} for one, two in itertools.product(ones, twos)):
        with contextlib.suppress(*REFUSALS):
            yield Question("sizes", _label(problem, sizes), problem.draw(seed, sizes), sizes=sizes)


def _label(problem: Problem, sizes: Mapping[str, int]) -> str:
    return ", ".join(f"{size_in_words(name)}: {size} instead of {problem.sizes[name]}" for name, size in sizes.items())


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
    return bool(changed_axes(changed.arguments, given.arguments)) or not same_arguments(changed.init, given.init)


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
