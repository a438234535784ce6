"""Evaluating an op by its formula: whatever the formula trips over, the answer is that it does not fit the call."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from . import bounded
from .arithmetic import EXACT, Array, Exact
from .formulas import formula_of

_NOT_ARGUMENTS = ("out", "memory_format", "layout", "device", "pin_memory", "non_blocking", "generator", "implicit")


class Unknown(Exception):
    """An op that has no formula, or a value that was not stored; the text says which."""


class NotReplayed(Unknown):
    """An op that is not run, because a trace may not choose it, or not on such arguments; the text says which and why."""


def run_formula(
    name: str, arguments: Sequence[Any], keywords: Mapping[str, Any], fl: Exact = EXACT, *, called: str = ""
) -> list[Array | None]:
    """The formula of an op on arrays.

    Args:
        name: of the op. arguments, keywords: arrays in the place of tensors; numbers, text and None as they are. fl: the arithmetic.
        called: the op in full, for messages.

    Returns:
        One entry for each output; None for what the formula does not define.

    Raises:
        Unknown: there is no formula, it does not fit the way in which the op was called, or it would take more memory than
            `bounded.limited` allows.
    """
    formula, called = formula_of(name), (called or name)[:80]
    if formula is None:
        raise Unknown(f"no formula for {called}")
    used = {key: keyword_ for key, keyword_ in keywords.items() if key not in _NOT_ARGUMENTS}
    try:
        bounded.checked(sum(_elements(item) for item in (*arguments, *used.values())))  # a list may name one value many times
        # Sizes don't depend on the arithmetic, and whoever asks for rounding has evaluated exactly before: once is enough, and cheaper.
        with np.errstate(all="ignore"), contextlib.nullcontext() if fl is EXACT else bounded.unlimited():
            result = formula(fl, *map(_watched, arguments), **{key: _watched(item) for key, item in used.items()})
    except Unknown:
        raise
    except bounded.TooLarge as error:
        raise NotReplayed(f"{called}: {error}") from error
    except Exception as error:  # a formula written for another overload: whatever it trips over, the answer is that it does not fit
        raise Unknown(f"the formula of {called} does not fit this call ({type(error).__name__}: {str(error)[:80]})") from error
    if result is None:
        raise Unknown(f"no formula for this use of {called}")
    flat = list(result) if isinstance(result, tuple) else [result]
    outputs: list[Array | None] = [None if item is None else bounded.plain(item) for item in flat]
    if any(output is not None and output.dtype.kind not in "biufc" for output in outputs):
        raise Unknown(f"the formula of {called} does not fit this call")
    return outputs


def _watched(tree: Any) -> Any:
    if isinstance(tree, np.ndarray):
        return bounded.bounded(tree)
    return [_watched(part) for part in tree] if isinstance(tree, list) else tree


def _elements(tree: Any) -> int:
    if isinstance(tree, list):
        return sum(_elements(part) for part in tree)
    return bounded.extent(tree.shape) if isinstance(tree, np.ndarray) else 0
