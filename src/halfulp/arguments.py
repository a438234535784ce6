"""What a user passes as inputs, as positional and keyword arguments of both functions."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from .containers import require_end
from .errors import InputError


def arguments_of(
    inputs: Any, keywords: Mapping[str, Any] | None, functions: Iterable[Callable[..., Any]]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The positional and the keyword arguments that each function is called with.

    Args:
        inputs: a tuple or list of positional arguments; a mapping from names to keyword arguments, if every function takes them by these
            names; anything else is the only argument.
        keywords: keyword arguments. functions: what is called with them.

    Raises:
        InputError: keywords that are no mapping, containers that do not end, a name that is given twice.
    """
    if keywords is not None and not isinstance(keywords, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise InputError(
            f"Got keywords={type(keywords).__name__}. Needed: a dict of keyword arguments. Both sides get them. "
            "Pass keywords={'name': value}."
        )
    require_end(inputs)
    require_end(keywords, "keywords")
    named = dict(keywords or {})
    if isinstance(inputs, Mapping) and inputs and all(_takes_names(function, inputs, named) for function in functions):
        twice = sorted(inputs.keys() & named.keys())
        if twice:
            raise InputError(
                f"Got {twice[0]!r} both among the inputs and among the keywords. Needed: each name once. Inputs and keywords are both "
                "passed by name here. Remove the name from one of the two."
            )
        return (), {**inputs, **named}
    return (tuple(inputs) if isinstance(inputs, (tuple, list)) else (inputs,)), named


def _takes_names(function: Callable[..., Any], inputs: Mapping[Any, Any], keywords: Mapping[str, Any]) -> bool:
    """Whether a call with every entry as a keyword argument has what the function requires, and nothing that it does not know."""
    if not all(isinstance(name, str) for name in inputs):
        return False
    called = getattr(function, "forward", function)  # what nn.Module.__call__ hands its arguments on to
    try:
        inspect.signature(called).bind(**{**keywords, **inputs})
    except (TypeError, ValueError):
        return False
    return True


def taken_as(inputs: Any, keywords: Mapping[str, Any]) -> str:
    """How the inputs were taken, in a sentence, where somebody may have meant them otherwise; "" where nobody can."""
    if isinstance(inputs, Mapping) and not keywords:
        names = ", ".join(repr(name) for name in list(inputs)[:4])
        return (
            f"inputs ({type(inputs).__name__}) was passed as the only argument, because its keys ({names}) don't match the "
            "parameters of both functions: pass keyword arguments as keywords={...} and inputs=()."
        )
    if callable(inputs) and not hasattr(inputs, "shape"):
        return "inputs is a function and was passed as the only argument: call it first, as in inputs(0)."
    if isinstance(inputs, list):
        count = f"{len(inputs)} positional argument{'s' * (len(inputs) != 1)}"
        return f"inputs is a list and was passed as {count}: pass ([...],) if the list is one argument."
    return ""
