"""Knob: one thing that can be changed about how a framework computes, and how to put it back."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any

from ...process.alone import alone

Wrap = Callable[[Callable[..., Any]], Callable[..., Any]]


class NotApplicable(Exception):
    """A knob that changes nothing of a function: it has no batch, no module in the other mode, no optimizer."""


@dataclass(frozen=True)
class Knob:
    """One setting.

    Attributes:
        name: of the cause that it stands for: "oneDNN", "threads". detail: how it is set, in words that end "computed with ...".
        touches: kinds of ops that it is expected to change: "convolutions", "products", "softmax", ...; evidence in itself.
        remedy: the line of code or variable that sets it.
        around: what is in force while a function runs; restores what it changed, after an exception too.
        wrap: where the change is one of the call itself (its inputs, its batch), gives the changed function.
        environment: variables that libraries read when they are loaded: the knob needs a fresh process.
        algorithm: what it is known to select besides what its name says.
        unavailable: why it can't be set here; "" where it can.
        reports: user reports that it explained.
    """

    name: str
    detail: str
    touches: frozenset[str]
    remedy: str
    around: Callable[[], AbstractContextManager[Any]] | None = None
    wrap: Wrap | None = None
    environment: Mapping[str, str] = field(default_factory=dict)
    algorithm: str = ""
    unavailable: Callable[[], str] = lambda: ""
    reports: tuple[str, ...] = ()

    @property
    def needs_fresh_process(self) -> bool:
        """Whether it can only be set before the libraries are loaded."""
        return bool(self.environment)

    def applied(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """The function as it runs with the knob turned."""
        if self.wrap is not None:
            return self.wrap(function)
        around = self.around or contextlib.nullcontext

        def run(*arguments: Any, **keywords: Any) -> Any:
            with alone(), around():  # settings of the whole process
                return function(*arguments, **keywords)

        return run
