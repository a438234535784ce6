"""Ignored numbers: input numbers that affect no result, such as those past the end of a sequence or under a mask, may be anything."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

from ...cases.trees import tensors_of
from ..problems.calls import Setting, call, copied, is_real, leaves, weights, with_leaves
from ..problems.facts import alike
from ..promises.promises import Promises
from .question import Question, kept_question
from .values import LARGE

ROUNDS = 3
"""Where only the larger of two numbers counts, the other is ignored until it becomes the larger one. Such numbers are dropped, and the rest
is tried again, this often."""


def ignored_questions(
    given: Setting, promises: Promises, target: Any, expected: Callable[[Setting], Any], behind: Sequence[float] = ()
) -> Iterator[Question]:
    """Make all ignored numbers far larger than all others: such keys outweigh the -10000 that stands for a mask in code, but not -1e9.

    Args:
        target: the reference. expected: its results on a setting. behind: NaN or infinities that may be there as well.
    """
    try:
        wanted = expected(given)
        ignored = _ignored(given, target, expected, wanted)
    except Exception:  # whatever the reference says to it
        return
    if not ignored:
        return
    tensors = leaves(given.arguments)
    larger = {place: _larger(tensors[place], where) for place, where in ignored.items()}
    for question in kept_question(f"{IGNORED}, {LARGE:g} times larger", given, larger, promises):
        yield replace(question, blunt=True, ignored=bool(behind))
    for value in behind:
        changed = {place: tensors[place].masked_fill(where, value) for place, where in ignored.items()}
        for question in kept_question(f"{IGNORED} are {value}", given, changed, promises):
            with contextlib.suppress(Exception):  # whatever the reference says to it
                if alike(expected(question.setting), wanted):
                    yield replace(question, ignored=True)


IGNORED = "numbers that change no result"


def _ignored(given: Setting, target: Any, expected: Callable[[Setting], Any], wanted: Any) -> dict[int, torch.Tensor]:
    """Where larger numbers change no result, by the place of the input among the tensors."""
    tensors = leaves(given.arguments)
    floats = {place: tensor for place, tensor in enumerate(tensors) if is_real(tensor) and bool(torch.isfinite(tensor).all())}
    ignored, changed = dict[int, torch.Tensor](), dict[int, torch.Tensor]()
    for _ in range(ROUNDS):
        setting = replace(given, arguments=with_leaves(given.arguments, changed))
        found = {place: (gradient == 0) & ignored.get(place, True) for place, gradient in _gradients(setting, target, floats).items()}
        ignored = {place: where for place, where in found.items() if bool(where.any())}
        changed = {place: _larger(floats[place], where) for place, where in ignored.items()}
        if not changed or alike(expected(replace(given, arguments=with_leaves(given.arguments, changed))), wanted):
            return ignored
    return {}


def _larger(tensor: torch.Tensor, where: torch.Tensor) -> torch.Tensor:
    return torch.where(where, LARGE * tensor.abs().max() * torch.where(tensor < 0, -1.0, 1.0), tensor).to(tensor.dtype)


class _Recorded(TorchFunctionMode):
    """Inside, gradients are recorded even by code that switches them off: they show which inputs a result depends on."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return None if func is torch._C._set_grad_enabled else func(*args, **(kwargs or {}))  # pyright: ignore[reportPrivateUsage]


def _gradients(setting: Setting, target: Any, places: Collection[int]) -> dict[int, torch.Tensor]:
    """Gradients of the results for the tensors at these places; zero for one that no result depends on."""
    tensors = leaves(setting.arguments)
    by = {place: tensors[place].detach().clone().requires_grad_() for place in places}
    with torch.enable_grad(), _Recorded():
        results, _ = call(target, setting.state, with_leaves(copied(setting.arguments), by), setting.keywords, training=False)
        total = sum((tensor * weights(tensor)).sum() for tensor in tensors_of(results) if tensor.requires_grad)
    if not isinstance(total, torch.Tensor):
        return {}
    found: Any = torch.autograd.grad(total, list(by.values()), allow_unused=True)
    return {place: torch.zeros_like(tensors[place]) if gradient is None else gradient for place, gradient in zip(by, found)}
