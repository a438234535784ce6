"""Run: what one run of one side gave, or why there is none."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..differences import Leaf
from .precision_modes import Retyping


@dataclass(frozen=True, eq=False)
class Run:
    """What one run of one side gave.

    Attributes:
        outputs: its tensors, on the CPU, with paths: what it returned, then what it and the other side changed (`Case.watched`).
        mutated: the inputs that the function changed, by name, as they were afterwards (of runs as the user wrote it).
        state: the parameters, buffers and captured tensors that it changed, likewise (they were restored).
        overridden: names of the calls inside the function whose dtype was replaced.
        replaced: the dtypes that those calls asked for.
        made: the lines that made tensors in the default dtype, where it was replaced.
        seconds: how long the call took.
        settings: what it changed in the process, in words (it was put back).
        handed_back: the names of those among `mutated` that it also returned, which are outputs already.
        left_out: parts of what it returned that hold no numbers, by path and type (of runs as the user wrote it).
    """

    outputs: tuple[Leaf, ...]
    mutated: Mapping[str, Leaf]
    state: Mapping[str, Leaf]
    overridden: tuple[str, ...]
    replaced: tuple[str, ...]
    seconds: float
    settings: tuple[str, ...] = ()
    made: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    handed_back: frozenset[str] = frozenset()

    @functools.cached_property
    def by_path(self) -> dict[str, Leaf]:
        """Its outputs by their paths."""
        return {leaf.path: leaf for leaf in self.outputs}

    def gives_bits_of(self, other: Run) -> bool:
        """Whether it is known at once that both gave the same bits; NaN of other bits has to be looked at."""
        return len(self.outputs) == len(other.outputs) and all(a.has_bytes_of(b) for a, b in zip(self.outputs, other.outputs))


def run_of(outputs: tuple[Leaf, ...], lifting: Retyping, seconds: float = 0.0, settings: tuple[str, ...] = ()) -> Run:
    """The run in another precision that gave these outputs."""
    replaced = tuple(sorted(str(dtype).removeprefix("torch.") for dtype in lifting.replaced))
    overridden = tuple(sorted(lifting.overridden))
    return Run(outputs, {}, {}, overridden, replaced=replaced, seconds=seconds, settings=settings, made=tuple(lifting.made))


@dataclass(frozen=True, eq=False)
class Rows:
    """Some rows of an output.

    Attributes:
        axis: along which they are counted. places: which are kept, in order. length: how many there are.
    """

    axis: int
    places: npt.NDArray[np.int64]
    length: int


@dataclass(frozen=True)
class Unavailable:
    """A run that could not be made, with the reason in a sentence."""

    reason: str
