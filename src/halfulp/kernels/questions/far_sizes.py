"""Far sizes: many times those of the problem, where sums in few bits stall, and past the range of 16 bits, where places wrap."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import torch

from ..problems.calls import Setting, is_real, leaves, with_leaves
from ..promises.promises import Promises
from .drawing import REFUSALS, Draws
from .question import Question, size_in_words

MANY = (128, 16)
"""Times a size, the largest that memory allows: sums of so many positive numbers stall in few bits."""


def long_questions(draws: Draws, promises: Promises) -> Iterator[Question]:
    """One size many times larger, with positive numbers: a sum in few bits stalls."""
    for name, value in draws.problem.sizes.items():
        drawable = (times * value + 1 for times in MANY if not draws.takes_long(name, times * value + 1))
        longest = next((size for size in drawable if draws.fits({name: size}, by_growth=False)), 0)
        if not name.isidentifier() or not longest:
            continue
        try:
            setting = draws.problem.draw(draws.seed, {name: longest})
        except REFUSALS:
            continue
        floats = {place: tensor.abs() for place, tensor in enumerate(leaves(setting.arguments)) if is_real(tensor)}
        arguments = promises.kept(with_leaves(setting.arguments, floats))
        if arguments is not None and floats:
            label = f"{size_in_words(name)}: {longest} instead of {value}, all numbers positive"
            yield Question("sizes", label, replace(setting, arguments=arguments), sizes={name: longest}, far=True)


def beyond_questions(question: Question, other: int, promises: Promises) -> Iterator[Question]:
    """A size past 16 bits, with rising numbers, and with all integers equal."""
    rising, alike = _rising(question.setting, other), _alike(question.setting, other)
    if rising is not None and promises.kept(rising.arguments) is not None:
        yield replace(question, label=f"{question.label}, and numbers rising", setting=rising, exotic=False, far=True)
    if alike is not None:
        yield replace(question, label=f"{question.label}, and whole numbers all the same", setting=alike, exotic=False, far=True)


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
