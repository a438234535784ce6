"""Counterpart: the value of `actual` that may stand for one of `expected`, and what vouches for it."""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple


class MatchedBy(str, Enum):
    """How a counterpart was found; stored as that word."""

    SAME_BITS = "same bits"
    OUTPUT = "output"
    """It is a result of that name."""
    MODULE = "module"
    """It is the result of the same module in the same call."""
    NAME = "name"
    """An op of that name is at that place of the module."""
    SHAPE = "shape"
    """Modules in the same order have results of the same shapes."""
    VALUE = "value"
    """It is near."""
    HINT = "hint"
    """Another library says that it belongs to the same module."""
    PLACE = "place"
    """It is the next value of that shape in another library's run."""
    NONE = "none"
    """`actual` has none (a fused op, compiled code): what follows is measured from what was predicted."""
    GIVEN = "given"
    """It can't be predicted."""

    def __str__(self) -> str:
        return self.value

    @property
    def is_by_name(self) -> bool:
        """Whether names vouch for it: a result, or that of the same module in the same call."""
        return self in (MatchedBy.OUTPUT, MatchedBy.MODULE)

    @property
    def is_guessed(self) -> bool:
        """Whether nothing but nearness, another library's word or its place speaks for it."""
        return self in (MatchedBy.VALUE, MatchedBy.HINT, MatchedBy.PLACE)


class Candidate(NamedTuple):
    """A value of `actual` that may be the counterpart, and why."""

    number: int
    how: MatchedBy
