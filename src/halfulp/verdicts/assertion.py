"""assert_equivalent: check as a test assertion."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..shown import drawn
from .checker import check
from .result import CheckResult


def assert_equivalent(actual: Callable[..., Any], expected: Callable[..., Any], inputs: Any, **options: Any) -> CheckResult:
    """Raise unless the difference between two implementations is acceptable.

    Args:
        actual, expected, inputs, options: as for `halfulp.check`.

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
    return accept(check(actual, expected, inputs, **options))


def accept(result: CheckResult) -> CheckResult:
    """The result; raises AssertionError with its explanation unless its verdict is acceptable."""
    __tracebackhide__ = True
    if not result.acceptable:
        raise AssertionError(drawn(result, "assertion"))
    return result
