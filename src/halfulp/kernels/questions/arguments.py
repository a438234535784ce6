"""Arguments that are numbers: switches, sizes, and marks of what does not count, given beside the tensors."""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from torch import nn

from ..problems.calls import Setting, leaves, with_leaves
from ..problems.problem import CHOICE
from .marks import exchanged, is_mark
from .question import Question


def number_questions(given: Setting, names: Sequence[str] = ()) -> Iterator[Question]:
    """Switches among the arguments flipped; numbers plus one; doubled if they divide an axis, as sizes of groups do.

    Then a quarter of each, one, and the length of an axis: a size of the result as large as the input's, or smaller. A negative number that
    marks what does not count becomes one that inputs hold.

    Args:
        names: of the arguments, or of the parts of the only one; () where they are unknown.
    """
    lengths = [length for tensor in leaves(given.arguments) for length in tensor.shape]
    dividing = {part for part in range(GROUPS, max(lengths, default=0)) if any(length % part == 0 for length in lengths)}
    numbers = [(place, key, part) for place, value in enumerate(given.arguments) for key, part in _numbers(value)]
    for place, key, part in numbers:
        others: list[Any] = [2 * part if part in dividing else part + 1]
        if isinstance(part, (bool, float)):
            others = [not part if isinstance(part, bool) else part + 0.5]
        elif part > CHOICE:
            others += [part // 4, 1, *dict.fromkeys(lengths[-2:])]
        for other in dict.fromkeys(other for other in others if other != part):
            arguments = _with_number(given.arguments, place, key, other)
            yield Question("values", f"argument {place}{key}: {other} instead of {part}", replace(given, arguments=arguments))
    for place, key, part in numbers:
        at = int(key[1:-1]) if key else place
        if is_mark(names[at] if at < len(names) else "", part):
            for other, changed in exchanged(part, given):
                arguments = _with_number(with_leaves(given.arguments, changed), place, key, other)
                label = f"argument {place}{key}, {names[at]}: {other} instead of {part}, in the inputs as well"
                yield Question("values", label, replace(given, arguments=arguments))
    sizes = [(place, key) for place, key, part in numbers if type(part) is int and part > CHOICE]
    if len(sizes) > 1 and lengths:
        arguments = given.arguments
        for place, key in sizes:
            arguments = _with_number(arguments, place, key, lengths[-1])
        yield Question("values", f"all sizes among the arguments {lengths[-1]}", replace(given, arguments=arguments))


def optional_questions(
    given: Setting, draw: Callable[[], Setting], target: Any, may_be_left_out: Callable[[str], bool]
) -> Iterator[Question]:
    """Arguments with a default of None set to None, on another draw and then on the given one: a solution may keep what it uses instead.

    Args:
        draw: gives another draw. target: the reference. may_be_left_out: whether the text says so of an argument; of several that it
            doesn't name, some may belong together, and a difference decides nothing.
    """
    try:
        parameters = list(inspect.signature(target.forward if isinstance(target, nn.Module) else target).parameters.values())
    except (TypeError, ValueError):
        return
    positional = itertools.takewhile(lambda parameter: parameter.kind in POSITIONAL, parameters)
    pairs = zip(positional, enumerate(given.arguments))
    optional = {parameter.name: place for parameter, (place, value) in pairs if parameter.default is None and value is not None}
    other = draw() if optional else given
    for name, place in optional.items() if len(other.arguments) == len(given.arguments) else ():
        promised = may_be_left_out(name)
        for setting, words in ((other, " on another draw"), (given, "")):
            arguments = (*setting.arguments[:place], None, *setting.arguments[place + 1 :])
            yield Question(
                "values", f"{name} left out{words}", replace(setting, arguments=arguments), promised=promised,
                exotic=not promised and len(optional) > 1,
            )  # fmt: skip


POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


def changed_numbers(given: Setting, other: Setting) -> list[tuple[float, float]]:
    """The numbers among the arguments that another setting has changed, before and after."""
    pairs = zip(given.arguments, other.arguments)
    numbers = [pair for old, new in pairs for pair in zip(_numbers(old), _numbers(new))]
    return [(before, after) for (_, before), (_, after) in numbers if before != after]


def follows(axis: int, longer: int, before: float, after: float) -> bool:
    """Whether the length of a result's axis follows a number, as a size, a window, a stride or a number of groups makes it.

    Args:
        axis, longer: the length before and after. before, after: the number.

    Example:
        >>> follows(25, 32, 8, 1), follows(4, 32, 8, 1), follows(16, 2, 8, 1), follows(8, 7, 8, 1)
        (True, True, True, False)
    """
    steps = abs(after - before)
    is_in_proportion = abs(longer * before - axis * after) <= abs(before) or abs(longer * after - axis * before) <= max(
        abs(before), abs(after)
    )
    return axis == longer or is_in_proportion or abs(longer - axis) in (steps, 2 * steps)


GROUPS = 16
"""From here on, a number that divides the length of an axis is taken for the size of its parts; smaller ones divide it by chance."""


def _numbers(value: Any) -> list[tuple[str, Any]]:
    if type(value) in (int, float, bool):
        return [("", value)]
    return (
        [(f"[{number}]", part) for number, part in enumerate(value) if type(part) in (int, float, bool)]
        if isinstance(value, (tuple, list))
        else []
    )


def _with_number(arguments: tuple[Any, ...], place: int, key: str, other: Any) -> tuple[Any, ...]:
    inner = other
    if key:
        parts = list(arguments[place])
        parts[int(key[1:-1])] = other
        inner = type(arguments[place])(parts)
    return (*arguments[:place], inner, *arguments[place + 1 :])
