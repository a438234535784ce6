"""Marks: numbers by which a problem says that an input does not count, such as -100 for targets that a loss ignores."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import torch

from ..problems.calls import Setting, leaves

MARKS = re.compile(r"ignore|pad|skip|mask|blank")
"""Parts of names of numbers that mark inputs that do not count, whether or not there are any."""


def is_mark(name: str, value: Any) -> bool:
    """Whether a number is one, by its name and its sign: what pads an image is none."""
    return type(value) is int and value < 0 and MARKS.search(name) is not None


def exchanged(value: int, given: Setting, *, named: bool = True) -> Iterator[tuple[int, dict[int, torch.Tensor]]]:
    """Other marks, with the inputs that hold them: a number that inputs hold, and a negative one.

    Where no input holds the mark, some do then.

    Args:
        value: the mark. named: whether its name says that it is one; else it has to be held, as -1 may be an axis.
    """
    indices = whole_inputs(given)
    is_held = any(bool((tensor == value).any()) for tensor in indices.values())
    if not is_held and not (indices and named):
        return
    held = next((int(tensor[tensor >= 0].reshape(-1)[0]) for tensor in indices.values() if bool((tensor >= 0).any())), value - 1)
    for other in (held, min(value, 0) - 1):
        changed = {at: torch.where(tensor == value, other, tensor).to(tensor.dtype) for at, tensor in indices.items()}
        for tensor in changed.values() if not is_held else ():
            tensor.view(-1)[::4] = other
        yield other, changed


def whole_inputs(given: Setting) -> dict[int, torch.Tensor]:
    """The inputs that are indices, by their place."""
    return {at: tensor for at, tensor in enumerate(leaves(given.arguments)) if tensor.dtype in (torch.int32, torch.int64)}
