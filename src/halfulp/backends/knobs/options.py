"""The options of a backend as knobs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..interface import Option
from .knob import Knob, NotApplicable


def knobs_of(options: tuple[Option, ...], current: Mapping[str, str]) -> tuple[Knob, ...]:
    """A knob for every value of every option that isn't the current one (the default where none is given)."""
    found: list[Knob] = []
    for option in options:
        now = current.get(option.name, option.default)
        for value in option.values:
            if value != now:
                found.append(
                    Knob(
                        option.cause,
                        f"{option.name} = {value}",
                        option.touches,
                        option.remedies.get(value, f"{option.name}={value!r}"),
                        wrap=_Turned(option.name, value),
                    )
                )
    return tuple(found)


class _Turned:
    """What a knob does to an implementation: the same with another option."""

    def __init__(self, name: str, value: str) -> None:
        self._name, self._value = name, value

    def __call__(self, function: Any) -> Any:
        if not hasattr(function, "with_options"):
            raise NotApplicable(f"{getattr(function, '__name__', type(function).__name__)} was not made by a backend")
        return function.with_options(**{self._name: self._value})
