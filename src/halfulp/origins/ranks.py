"""Where two distributed runs part: each rank is walked, with what the other ranks contribute to its collectives."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..errors import TraceError
from ..ops.arithmetic import Array
from ..traces import Trace, read_trace
from ..words.numbers import counted
from .collectives import Peers, is_collective
from .origin import Origin
from .versions import in_shape
from .walker import Walker

Walked = Callable[[Trace, Trace, Peers], "tuple[Walker, Origin]"]


def is_distributed(path: Any) -> bool:
    """Whether a folder holds the traces of several ranks."""
    return not isinstance(path, Trace) and not (Path(path) / "manifest.json").exists() and bool(ranks_in(path))


def ranks_in(path: Any) -> list[Path]:
    """The folders of the ranks, complete or partial."""
    return sorted(folder for folder in Path(path).glob("rank-*") if folder.is_dir()) if Path(path).is_dir() else []


def first_of_ranks(actual: Path, expected: Path, walked: Walked) -> Origin:
    """The first origin over all ranks.

    What a rank gets from a collective depends on what the others had. First the numbers of `expected` stand in for these; where that gives
    an origin anywhere, each rank is walked again with what `actual` really had on the others.

    Args:
        actual, expected: folders of ranks. walked: walks one rank.

    Raises:
        TraceError: different numbers of ranks, or a trace that can't be read.
    """
    sides = [[read_trace(path) for path in ranks_in(side)] for side in (actual, expected)]
    if len(sides[0]) != len(sides[1]):
        raise TraceError(
            f"Got {counted(len(sides[0]), 'rank')} in {actual.name} and {len(sides[1])} in {expected.name}. "
            "Needed: the same "
            "number on both sides. Each rank is compared with its counterpart. Merge the ranks of each side first: "
            "halfulp merge."
        )
    actual_traces, expected_traces = sides
    found = [
        walked(actual_traces[rank], expected_traces[rank], Peers(rank, expected_traces, lambda *_: None))
        for rank in range(len(expected_traces))
    ]
    if any(origin.module is not None for _, origin in found):
        known = [_contributions(walker) for walker, _ in found]

        def contribution(rank: int, place: int, slot: int) -> Array | None:
            return known[rank].get((place, slot))

        found = [
            walked(actual_traces[rank], expected_traces[rank], Peers(rank, expected_traces, contribution))
            for rank in range(len(expected_traces))
        ]
    guilty = [
        (origin.point.step if origin.point else 0, rank, origin) for rank, (_, origin) in enumerate(found) if origin.module is not None
    ]
    if guilty:
        _, rank, origin = min(guilty, key=lambda entry: entry[:2])
        others = [str(number) for _, number, _ in sorted(guilty, key=lambda entry: entry[1]) if number != rank]
        note = (
            f"it starts on rank {rank}"
            + (f"; it also starts on rank{'s' if len(others) != 1 else ''} {', '.join(others)}" if others else ""),
        )
        return dataclasses.replace(origin, rank=rank, notes=(*note, *origin.notes))
    worst = max((origin for _, origin in found), key=lambda origin: (origin.acceptable is None, len(origin.walk)))
    return worst


def _contributions(walker: Walker) -> dict[tuple[int, int], Array]:
    """What `actual` had on one rank at the inputs of each collective, as far as it was found."""
    found: dict[tuple[int, int], Array] = {}
    steps = [step for step in walker.expected.ops if is_collective(step)]
    for place, step in enumerate(steps):
        for slot, number in enumerate(step.inputs):
            counterpart = walker.counterpart_of(number)
            if counterpart is not None:
                found[place, slot] = in_shape(walker.actual_values.number(counterpart), walker.expected.values[number].shape)
    return found
