"""Ops that combine the ranks of a distributed run: what one rank gets, from its own numbers and those of the others."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..ops.arithmetic import Array, Exact
from ..ops.evaluation import Unknown
from ..traces import Step, Trace

_REDUCTIONS = ("allreduce", "all_reduce")
_GATHERS = ("all_gather_into_tensor", "allgather_into_tensor_coalesced", "_allgather_base")
_SCATTERS = ("reduce_scatter_tensor", "_reduce_scatter_base")


def is_collective(step: Step) -> bool:
    """Whether an op combines ranks."""
    return step.op.startswith(("c10d.", "_c10d_functional.")) and step.name != "wait_tensor"


class Peers:
    """The other ranks.

    Args:
        rank: which one this is. expected: the traces of all ranks of `expected`.
        contribution: (rank, number of the collective, place of the input) -> what `actual` had there; None where that is not known, and the
            numbers of `expected` stand in.
    """

    def __init__(self, rank: int, expected: list[Trace], contribution: Callable[[int, int, int], Array | None]) -> None:
        self._rank, self._expected, self._contribution = rank, expected, contribution
        self._collectives = [[step for step in trace.ops if is_collective(step)] for trace in expected]
        self._places = {step.index: place for place, step in enumerate(self._collectives[rank])}

    def combined(self, step: Step, inputs: list[Array], fl: Exact) -> list[Array | None]:
        """What this rank gets from a collective.

        Args:
            step: of `expected`. inputs: what this rank contributes. fl: the arithmetic.

        Raises:
            Unknown: a collective without a formula, or other ranks that ran other collectives.
        """
        place = self._places[step.index]
        results: list[Array | None] = []
        for slot, own in enumerate(inputs):
            parts = [own if rank == self._rank else self._of(rank, place, slot, step) for rank in range(len(self._expected))]
            results.append(self._result(step, parts, fl))
        if step.op.startswith("c10d."):
            # They return what they wrote and a handle, and wrote into what they were given.
            results = [*results, None] if len(step.outputs) > len(results) else results
        return (results + [None] * len(step.outputs))[: len(step.outputs)]

    def _of(self, rank: int, place: int, slot: int, step: Step) -> Array:
        known = self._contribution(rank, place, slot)
        if known is not None:
            return known
        others = self._collectives[rank]
        if place >= len(others) or others[place].op != step.op or slot >= len(others[place].inputs):
            raise Unknown(f"rank {rank} ran a collective other than {step.op}")
        return self._expected[rank].numbers(others[place].inputs[slot])

    def _result(self, step: Step, parts: list[Array], fl: Exact) -> Array:
        words = [argument for argument in step.arguments if isinstance(argument, str)]
        if step.name in _REDUCTIONS:
            if "max" in words or "min" in words:
                return (np.max if "max" in words else np.min)(np.stack(parts), axis=0)
            total = fl.sum(np.stack(parts), 0)
            return fl(total / len(parts)) if "avg" in words else fl(total)
        if step.name in _GATHERS:
            return np.concatenate(parts)
        if step.name in _SCATTERS:
            return fl(np.split(fl.sum(np.stack(parts), 0), len(parts))[self._rank])
        if step.name.startswith("broadcast"):
            return parts[0]
        raise Unknown(f"no formula for {step.op}")
