"""assert_equivalent: check as a test assertion."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..errors import InputError
from ..shown import drawn
from .checker import check
from .result import CheckResult

NO_INPUTS: Any = object()
"""Stands for inputs that were left out, as whoever is used to `torch.testing.assert_close` does."""


def assert_equivalent(
    actual: Any,
    expected: Any,
    inputs: Any = NO_INPUTS,
    *,
    declared: object = None,
    reference: Callable[..., Any] | None = None,
    keywords: dict[str, Any] | None = None,
    gradients: bool = False,
    seed: int = 0,
    full: bool = False,
    search: bool = False,
    strict: bool = False,
    msg: str | None = None,
) -> CheckResult:
    """Raise unless the difference between two implementations is acceptable.

    Args:
        actual, expected, inputs, declared, reference, keywords, gradients, seed, full, search, strict: as for `halfulp.check`.
        msg: a line to begin the error's text with.

    Returns:
        The result when its verdict is acceptable (IDENTICAL, ROUNDING, FLIP).

    Raises:
        AssertionError: the verdict is another one, UNDECIDED included; the text is the verdict's explanation.
        InputError, RunError: as for `halfulp.check`.

    Example:
        >>> import torch
        >>> result = assert_equivalent(torch.relu, lambda x: x.clamp(min=0), (torch.linspace(-1, 1, 5),))
        >>> result.verdict
        Verdict.IDENTICAL
    """
    __tracebackhide__ = True
    if inputs is NO_INPUTS:
        raise InputError(
            f"Got {type(actual).__name__} and {type(expected).__name__}, and no inputs. Needed: two functions and the inputs "
            "to run them on. Two results alone can't show whether a difference is rounding: that depends on the function. Call "
            "halfulp.assert_equivalent(my_function, their_function, (x,)); halfulp.compare(actual, expected) gives the numbers "
            "for two results."
        )
    result = check(
        actual, expected, inputs, declared=declared, reference=reference, keywords=keywords, gradients=gradients, seed=seed, full=full,
        search=search, strict=strict,
    )  # fmt: skip
    return accept(result, msg=msg)


def accept(result: CheckResult, *, msg: str | None = None, form: str = "assertion", after: str = "") -> CheckResult:
    """The result; raises AssertionError with its explanation unless its verdict is acceptable.

    Args:
        result: what check returned. msg: a line before its explanation. form: how much is said, see `halfulp.report`. after: what follows.
    """
    __tracebackhide__ = True
    if not result.acceptable:
        raise AssertionError("\n".join(part for part in (msg, drawn(result, form), after) if part))
    return result
