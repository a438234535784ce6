"""Ignored numbers: what is in the inputs and in no result, as behind the end of a sequence or under a mask, may be anything."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from typing import Any

import torch

from ..cases.trees import tensors_of
from .calls import Setting, call, leaves, weights, with_leaves
from .facts import alike
from .promises import Promises
from .question import Question, kept_question
from .questions import LARGE

ROUNDS = 3
"""Where only the larger of two numbers counts, the other one is ignored until it becomes the larger one: such numbers are dropped, and the
rest is tried again."""


def ignored_questions(given: Setting, promises: Promises, target: Any, expected: Callable[[Setting], Any]) -> Iterator[Question]:
    """Every ignored number many times larger than all others: such keys outweigh the -10000 that stands for a mask in code, not its -1e9.

    Args:
        target: the reference. expected: its results on a setting.
    """
    try:
        larger = _larger(given, target, expected)
    except Exception:  # whatever the reference says to it
        return
    for question in kept_question(f"numbers that change no result, {LARGE:g} times larger", given, larger, promises) if larger else ():
        yield replace(question, blunt=True)


def _larger(given: Setting, target: Any, expected: Callable[[Setting], Any]) -> dict[int, torch.Tensor]:
    """The inputs with larger numbers where that changes no result, by their places among the tensors; nothing where there is none."""
    tensors = leaves(given.arguments)
    floats = {place: tensor for place, tensor in enumerate(tensors) if tensor.is_floating_point() and bool(torch.isfinite(tensor).all())}
    wanted, ignored, changed = expected(given), {}, dict[int, torch.Tensor]()
    for _ in range(ROUNDS):
        setting = replace(given, arguments=with_leaves(given.arguments, changed))
        ignored = {place: (found == 0) & ignored.get(place, True) for place, found in _gradients(setting, target, floats).items()}
        changed = {place: _with(floats[place], where) for place, where in ignored.items() if bool(where.any())}
        if not changed or alike(expected(replace(given, arguments=with_leaves(given.arguments, changed))), wanted):
            return changed
    return {}


def _with(tensor: torch.Tensor, where: torch.Tensor) -> torch.Tensor:
    return torch.where(where, LARGE * tensor.abs().max() * torch.where(tensor < 0, -1.0, 1.0), tensor).to(tensor.dtype)


def _gradients(setting: Setting, target: Any, places: Collection[int]) -> dict[int, torch.Tensor]:
    """Of the results by the tensors at these places; zero by one that no result is computed from."""
    tensors = leaves(setting.arguments)
    by = {place: tensors[place].detach().clone().requires_grad_() for place in places}
    with torch.enable_grad():
        results, _ = call(target, setting.state, with_leaves(setting.arguments, by), setting.keywords, training=False)
        total = sum((tensor * weights(tensor)).sum() for tensor in tensors_of(results) if tensor.requires_grad)
    if not isinstance(total, torch.Tensor):
        return {}
    found: Any = torch.autograd.grad(total, list(by.values()), allow_unused=True)
    return {place: torch.zeros_like(tensors[place]) if gradient is None else gradient for place, gradient in zip(by, found)}
