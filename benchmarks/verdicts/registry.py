"""Pair: a labelled pair of implementations, and the list of all of them."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

LINEAR_POST = "question 3; discuss.pytorch.org/t/129237"
CONV_POST = "question 4"
COMPILE_POST = "question 5; pytorch/pytorch#149472"


@dataclass(frozen=True)
class Pair:
    """Two implementations and the truth about their difference.

    Attributes:
        name: its identity. kind: "rounding" or "mistake", judged against `declared`, or "undecided" where the inputs don't tell.
        cause, source, note: what differs, the public report it is modeled on, what to know about it.
        declared: the precision that the implementation under test may use.
        tags: subtle, below-tolerance, one-element, special, precision, hard, ambiguous, undetectable ...
        build: returns (actual, expected, inputs).
        reference: a better-than-working-precision implementation, None for expected in float64.
        verdict: the name of the verdict that is right, "" where the kind alone is labelled.
        gradients: whether gradients are compared too.
    """

    name: str
    kind: str
    cause: str
    source: str
    declared: str
    tags: tuple[str, ...]
    note: str
    build: Callable[[], tuple[Any, Any, Any]]
    reference: Callable[..., Any] | None
    verdict: str = ""
    gradients: bool = False

    def make(self, seed: int) -> tuple[Any, Any, Any]:
        """The two functions and their inputs, the same for the same seed."""
        torch.manual_seed(1234 + seed)
        np.random.seed(1234 + seed)
        return self.build()


PAIRS: list[Pair] = []


def _labelled(kind: str) -> Callable[..., Any]:
    def label(
        cause: str,
        source: str,
        *,
        tags: tuple[str, ...] = (),
        declared: str = "float32",
        note: str = "",
        ref: Any = None,
        verdict: str = "",
        gradients: bool = False,
    ) -> Any:
        def register(build: Callable[[], tuple[Any, Any, Any]]) -> Callable[[], tuple[Any, Any, Any]]:
            assert all(each.name != build.__name__ for each in PAIRS), f"two pairs named {build.__name__}"
            PAIRS.append(Pair(build.__name__, kind, cause, source, declared, tuple(tags), note, build, ref, verdict, gradients))
            return build

        return register

    return label


rounding = _labelled("rounding")
mistake = _labelled("mistake")
undecidable = functools.partial(_labelled("undecided"), verdict="UNDECIDED")
