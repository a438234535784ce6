"""The words of a trace: what made a value, what a step is, in which phase it happened."""

from __future__ import annotations

from enum import Enum


class Role(str, Enum):
    """What made a value."""

    OP = "op"
    """A step."""
    INPUT = "input"
    PARAMETER = "parameter"
    BUFFER = "buffer"
    UNSEEN = "unseen"
    """Recording can't look there: compiled code, another thread, an external library."""

    def __str__(self) -> str:
        return self.value


class StepKind(str, Enum):
    """What a step is."""

    OP = "op"
    MODULE = "module"
    """One call of a module: it comes after the ops that it consists of."""

    def __str__(self) -> str:
        return self.value


class Phase(str, Enum):
    """When a step happened."""

    FORWARD = "forward"
    BACKWARD = "backward"
    STEP = "step"
    """The optimizer's."""
    BUFFER = "buffer"
    """Of a point of the walk: a running statistic was written."""

    def __str__(self) -> str:
        return self.value
