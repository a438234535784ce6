"""Magnitudes: integers that are not lengths (keys, offsets, spans), so large that products and counters exceed 32 bits."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator

import torch

from ..problems.calls import Setting, leaves, same_arguments
from ..problems.problem import CHOICE, Problem
from ..promises.stated import Stated
from .drawing import REFUSALS
from .question import Question, size_in_words


def magnitude_questions(
    problem: Problem,
    given: Setting,
    seed: int,
    seconds: Callable[[Setting], float | None],
    stated: Stated,
) -> Iterator[Question]:
    """Integers that are not lengths, a million times as large, and near the limits of 32 bits, where products of 32 bits overflow.

    Args:
        seconds: what the reference takes, None where it refuses or returns other shapes: numbers of rounds and of classes make it take
            as many times as long. stated: what the problem's text says: the borders are asked of what it gives a limit, which lies beyond.
    """
    lengths = [tensor.shape for tensor in leaves(given.arguments)]
    usual_s = seconds(given) or 0.0

    def asked(name: str, other: int) -> Question | None:
        """The question; None if the number is a length, or may not be as large."""
        try:
            setting = problem.draw(seed, {name: other})
        except REFUSALS:
            return None
        if not same_arguments(setting.init, given.init) or [tensor.shape for tensor in leaves(setting.arguments)] != lengths:
            return None
        if any(_is_wrapped(new, old) for new, old in zip(leaves(setting.arguments), leaves(given.arguments))):
            return None
        if not stated.allows(setting, {name: other}):
            return None
        took_s = seconds(setting)
        if took_s is None or took_s > SLOWER * usual_s + NOISE_S:
            return None
        label = f"{size_in_words(name)}: {other} instead of {problem.sizes[name]}"
        return Question("sizes", label, setting, far=True, steady=True, sizes={name: other})

    for name, own in problem.sizes.items():
        value = max((own, *problem.seen.get(name, ())), key=abs)
        if value <= CHOICE or not name.isidentifier() or not usual_s:
            continue
        larger = [found for found in itertools.takewhile(bool, (asked(name, value << bits) for bits in STEPS)) if found]
        yield from larger[-1:]
        if stated.limits_from_above(name, given) and (larger or (value != own and asked(name, value) is not None)):
            yield from (found for border in BORDERS if (found := asked(name, border)) is not None)


def _is_wrapped(new: torch.Tensor, old: torch.Tensor) -> bool:
    """Whether integers were drawn beyond the range of their type, and wrapped to negative ones."""
    is_whole = old.dtype in (torch.int8, torch.int16, torch.int32, torch.int64) and old.numel() > 0
    return is_whole and int(old.min()) >= 0 > int(new.min())


STEPS = (4, 8, 12, 16, 20)
"""By how many bits a number grows: as long as the time doesn't grow with it, it is not a length."""
BORDERS = ((1 << 31) - 7, (1 << 32) - 7)
"""Counting on from these passes the largest 32-bit integers, signed and unsigned."""
SLOWER = 3.0
"""Times as long as on the given inputs: a number that the time depends on is not increased. Each step multiplies it by 16."""
NOISE_S = 0.01
"""How much longer a short call may take by chance: a few turns of the system's scheduler, each of some milliseconds."""
