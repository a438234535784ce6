"""Reproduction: both sides of one op, ready to be called again or to be written as a script."""

from __future__ import annotations

from dataclasses import dataclass, field

import torch

from ..traces import Step


@dataclass
class Program:
    """Ops to be called one after another on given tensors.

    Attributes:
        steps: the ops, with arguments that are references to `tensors` or to earlier results. result: which value is compared.
    """

    steps: list[Step] = field(default_factory=list)
    result: int = -1


@dataclass
class Reproduction:
    """Both sides of one op and what they are called on.

    Attributes:
        tensors: number -> tensor; of `expected`, and of `actual` (negative numbers, -1 - number).
        actual, expected: the ops. recorded: what `actual` recorded as the result, where its ops don't give it again here.
    """

    tensors: dict[int, torch.Tensor]
    actual: Program
    expected: Program
    recorded: torch.Tensor | None = None
    random: dict[int, tuple[float, float]] = field(default_factory=dict)
