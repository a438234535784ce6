"""Which inputs each side takes: by the names of its parameters where these are the inputs' names, else in order."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from torch import nn

from ..errors import InputError
from .drawn_inputs import Inputs

_BY_PLACE = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


def bound(function: Callable[..., Any], inputs: Inputs, side: str) -> Callable[..., Any]:
    """The side as a function of all inputs in their order: itself where it takes them so.

    Args:
        side: its name, for messages.

    Raises:
        InputError: its parameters can't be chosen from the inputs.
    """
    parameters = _parameters(function)
    if parameters is None or not inputs.names:
        return function
    by_place = [part.name for part in parameters if part.kind in _BY_PLACE]
    takes_any = any(part.kind is part.VAR_POSITIONAL for part in parameters)
    known = {part.name for part in parameters if part.kind in (part.POSITIONAL_OR_KEYWORD, part.KEYWORD_ONLY)}
    required = {part.name for part in parameters if part.default is part.empty and part.kind in (*_BY_PLACE, part.KEYWORD_ONLY)}
    if [*inputs.names] == by_place[: len(inputs.names)]:
        return function
    if required <= {*inputs.names} and (known & {*inputs.names}):
        return _by_name(function, inputs.names, [name for name in inputs.names if name in known])
    if takes_any or fits(function, len(inputs.values)):
        return function
    raise InputError(
        f"Got the {'input' if len(inputs.names) == 1 else 'inputs'} {', '.join(inputs.names)}, and {side} takes ({', '.join(part.name for part in parameters)}). Needed: inputs with these "
        "names, or the same number of inputs. halfulp can't tell which input is which. Use the function's own names: "
        f'-i "{by_place[0] if by_place else "x"}=...".'
    )


def parameter_names(function: Callable[..., Any], count: int) -> tuple[str, ...]:
    """The names under which a function takes so many arguments; () where they can't be told."""
    parameters = _parameters(function)
    names = [part.name for part in parameters or () if part.kind in _BY_PLACE]
    return tuple(names[:count]) if len(names) >= count else ()


def required_names(function: Callable[..., Any]) -> list[str]:
    """The names of the parameters that a function must be given."""
    kinds = (*_BY_PLACE, inspect.Parameter.KEYWORD_ONLY)
    return [part.name for part in _parameters(function) or () if part.default is part.empty and part.kind in kinds]


def takes_any(function: Callable[..., Any]) -> bool:
    """Whether a function takes arguments, as far as is known."""
    parameters = _parameters(function)
    return parameters is None or bool(parameters)


def _parameters(function: Callable[..., Any]) -> list[inspect.Parameter] | None:
    try:
        return list(inspect.signature(function.forward if isinstance(function, nn.Module) else function).parameters.values())
    except (TypeError, ValueError):
        return None


def fits(function: Callable[..., Any], count: int) -> bool:
    """Whether a function takes so many arguments; no where that is not known."""
    try:
        inspect.signature(function.forward if isinstance(function, nn.Module) else function).bind(*[None] * count)
    except (TypeError, ValueError):
        return False
    return True


def _by_name(function: Callable[..., Any], names: tuple[str, ...], taken: list[str]) -> Callable[..., Any]:
    """The function with some of the inputs, by their names."""

    def named(*values: Any) -> Any:
        given = dict(zip(names, values))
        return function(**{name: given[name] for name in taken})

    if not isinstance(function, nn.Module):
        named.__doc__ = function.__doc__
    named.__name__ = getattr(function, "__name__", type(function).__name__)
    return named
