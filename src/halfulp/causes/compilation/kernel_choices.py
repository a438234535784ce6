"""Does a compiled function depend on which kernels win a race? Compiled in fresh processes, each with an empty cache."""

from __future__ import annotations

from dataclasses import dataclass

from ..fresh import payload_of
from ..laboratory import Laboratory
from ..processes import OVER, Job, run_jobs
from .compiled_function import Compilation

RUNS = 3
"""Fresh processes: of two kernels that are equally fast both are seen with probability 3/4."""


@dataclass(frozen=True)
class Choices:
    """What fresh processes chose and gave.

    Attributes:
        chosen: for each process, the kernels that won: "what: kernel". varies: whether they are not the same throughout.
        results: how many different results there were, bit for bit. unequal: the largest number of elements that differ between two.
        like_here: how many processes gave the bits that this one gave. notes: what failed.
    """

    chosen: tuple[tuple[str, ...], ...]
    varies: bool
    results: int
    unequal: int
    like_here: int
    notes: tuple[str, ...] = ()


def choices_of(laboratory: Laboratory, compilation: Compilation, *, frozen: bool) -> Choices:
    """Compile and run in fresh processes.

    Args:
        laboratory: its case gives the inputs. compilation: how the function was compiled.
        frozen: compile for inference with parameters as constants and kernels chosen by timing, whatever `compilation` says.
    """
    arguments = dict(compilation.arguments)
    if frozen:
        arguments["options"] = {**dict(compilation.options), "max_autotune": True}
    jobs = [Job(f"compiled anew {place + 1}", {}, ("actual",), arguments, frozen=frozen, fresh_cache=True) for place in range(RUNS)]
    payload = payload_of(laboratory, compilation.original, compilation.original)
    replies = run_jobs(payload, jobs, deadline=laboratory.deadline, progress=laboratory.progress)
    if any(reply.error == OVER for reply in replies):
        laboratory.stop("compiling in fresh processes")
    good = [reply for reply in replies if not reply.error]
    notes = tuple(dict.fromkeys(f"A fresh process failed to compile the function: {reply.error}" for reply in replies if reply.error))
    chosen = tuple(tuple(f"{what}: {kernel}" for what, kernel, _ in reply.choices) for reply in good)
    different: list[int] = []
    unequal = 0
    for place, reply in enumerate(good):
        apart = [laboratory.scale.distance(reply.outputs["actual"], good[other].outputs["actual"]).unequal for other in different]
        unequal = max([unequal, *apart])
        if all(apart):
            different.append(place)
    here = laboratory.native["actual"]
    like = sum(laboratory.scale.distance(reply.outputs["actual"], here).unequal == 0 for reply in good)
    return Choices(chosen, len(set(chosen)) > 1, len(different), unequal, like_here=like, notes=notes)
