"""Succession: calls that each continue from the last, such as those of a cache of keys, with nothing restored between them."""

from __future__ import annotations

import copy
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import Any

import torch
from torch import nn

from ...cases.trees import tensors_of
from ..problems.calls import Setting, State, call, copied, is_real, leaves, with_leaves
from .looks import floating_error, whole_error

LABEL = "consecutive calls, each continuing from the last"


def successive(given: Setting, others: Sequence[Setting]) -> list[Setting]:
    """The calls: on the given inputs, then on other draws, with switches first off and then on in places, so that earlier calls matter."""
    found = [given]
    for number, other in enumerate((*others, given)):
        switches = {place: tensor for place, tensor in enumerate(leaves(other.arguments)) if tensor.dtype is torch.bool and tensor.numel()}
        changed = {place: torch.zeros_like(tensor) for place, tensor in switches.items()}
        for tensor in changed.values() if number % 2 else ():
            tensor.view(-1)[::2] = True
        found.append(replace(other, arguments=with_leaves(other.arguments, changed)))
    return found


def expected(target: nn.Module, settings: Sequence[Setting]) -> list[Any]:
    """What a copy of the reference returns with the settings' parameters and its own buffers; its errors are passed on."""
    own = copy.deepcopy(target).eval()
    buffers = {name for name, _ in own.named_buffers()}
    with torch.no_grad():
        return [
            call(own, _without(setting.state, buffers), copied(setting.arguments), setting.keywords, training=False)[0]
            for setting in settings
        ]  # fmt: skip


def _without(state: State, names: Collection[str]) -> State:
    return {name: tensor for name, tensor in state.items() if name not in names}


def differing(found: Sequence[Any], wanted: Sequence[Any]) -> Iterator[int]:
    """The numbers, from 1, of the calls whose results are off by far more than rounding."""
    for number, (own, other) in enumerate(zip(found, wanted), 1):
        results, exact = list(tensors_of(own)), list(tensors_of(other))
        if len(results) != len(exact) or any(map(_is_far, results, exact)):
            yield number


def _is_far(a: torch.Tensor, e: torch.Tensor) -> bool:
    if a.shape != e.shape:
        return True
    actual, wanted = a.detach().cpu(), e.detach()
    if not is_real(e):
        return bool(whole_error(actual.numpy(), wanted.numpy()))
    numbers = actual.double().numpy(), wanted.double().numpy()
    return bool(floating_error(*numbers, numbers[1], torch.finfo(e.dtype).eps / 2))
