"""search_inputs: structures, single numbers, gradients, recipes, one after another, until the budget is used up."""

from __future__ import annotations

import math
from typing import Any

from .ascent import climb
from .elementwise import try_scalars
from .evolution import evolve
from .found import Found, OutOfBudget, Trial
from .structures import try_structures


def search_inputs(trial: Trial, inputs: tuple[Any, ...], seed: int = 0, *, structures: bool = True) -> Found | None:
    """The worst inputs within the trial's budget; None where no inputs could be measured.

    Args:
        trial: measures, see `Trial`. inputs: the tuple of arguments to begin with. seed: of all that is drawn.
        structures: whether layouts, sizes and special distributions are tried too.
    """
    try:
        trial.measure(inputs, "the given inputs")
        bases = [Found(inputs, "", 0.0)]
        if structures:
            bases = [*try_structures(trial, inputs, seed)[:1], *bases]
        if not _is_over(trial):
            try_scalars(trial, inputs, seed)
        if not _is_over(trial) and trial.worst is not None and trial.worst.excess > 0:
            climb(trial, trial.worst)
        if not _is_over(trial):
            evolve(trial, bases, seed)
    except OutOfBudget:
        pass
    return trial.worst


def _is_over(trial: Trial) -> bool:
    """Whether nothing can be worse."""
    return trial.worst is not None and math.isinf(trial.worst.excess)
