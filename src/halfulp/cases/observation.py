"""Observation: a side run once more, as it was written, with somebody looking on."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

from .case import Case
from .sides import repeatable
from .variant import NATIVE


def observed(case: Case, name: str, *watches: contextlib.AbstractContextManager[Any], told: Callable[[Any], None] | None = None) -> bool:
    """Run a side under watches, which keep what they see; whether it ran to its end.

    Args:
        case: whose inputs and seed are used. name: "actual" or "expected"; a compiled side runs as it was before compiling, because
            nothing can be seen inside a compiled one. watches: modes and the like, entered in this order. told: of the arguments, before.

    A function may refuse a mode: it ran without one before, so what fails here is only the look at it.
    """
    side = case.side(name).eager
    arguments, keywords = case.arguments(side, NATIVE)
    if told is not None:
        told((arguments, keywords))
    try:
        with contextlib.ExitStack() as stack:
            for context in (side.unchanged(), repeatable(case.seed), *watches):
                stack.enter_context(context)
            case.evaluate(side, arguments, keywords)
    except Exception:
        return False
    return True
