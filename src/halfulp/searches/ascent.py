"""Ascent: moves the values of the worst inputs uphill, where autograd knows which way the difference of the two formulas grows.

What rounding does has no gradient; two formulas that differ in float64 have one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from ..cases import Case
from ..cases.inputs import copied, map_arrays
from ..cases.sides import repeatable
from .found import Found, Trial

STEPS = (2.0**-2, 2.0**-4, 2.0**-6)
"""Relative changes of the values that are tried along a gradient, largest first."""


def climb(trial: Trial, start: Found) -> None:
    """Follow gradients from inputs while they get worse.

    Args:
        trial: measures. start: where to begin. Where a side can't be run on float64 inputs that want gradients, nothing is done.
    """
    here = start
    while True:
        moved = _uphill(trial.case_on(here.inputs))
        if moved is None:
            return
        for step in STEPS:
            inputs = moved(step)
            excess = trial.measure(inputs, f"{start.label}, moved along the gradient of the difference")
            if excess > here.excess:
                here = Found(inputs, start.label, excess)
                break
        else:
            return


def _uphill(case: Case) -> Callable[[float], tuple[Any, ...]] | None:
    """A function of the step that gives the inputs moved uphill; None where there is no gradient."""
    wide: list[torch.Tensor] = []

    def lift(value: torch.Tensor) -> torch.Tensor:
        if not value.is_floating_point():
            return value
        wide.append(value.detach().double().requires_grad_())
        return wide[-1]

    given = (*case.inputs, *case.keywords.values())
    lifted = map_arrays(copied((case.inputs, case.keywords)), lift, lambda array: array)
    if not wide:
        return None
    try:
        with torch.enable_grad(), case.actual.unchanged(), case.expected.unchanged(), repeatable(case.seed):
            results, peers = (side.function(*lifted[0], **lifted[1]) for side in (case.actual, case.expected))
            apart = ((results - peers) / (peers.detach().abs() + peers.detach().abs().mean() + 1e-300)).square().sum()
            slopes: list[torch.Tensor | None] = [*torch.autograd.grad(apart, wide, allow_unused=True)]
    except Exception:  # no tensors, other shapes, no derivative, float32 constants: whatever the functions raise
        return None
    if all(slope is None or not bool((torch.isfinite(slope) & (slope != 0)).any()) for slope in slopes):
        return None

    def moved(step: float) -> tuple[Any, ...]:
        rows = iter(slopes)

        def move(value: torch.Tensor) -> torch.Tensor:
            if not value.is_floating_point():
                return value
            slope = next(rows)
            if slope is None:
                return value
            uphill = torch.sign(torch.nan_to_num(slope)) * value.detach().double().abs()
            return (value.detach().double() + step * uphill).to(value.dtype).requires_grad_(value.requires_grad)

        return map_arrays(copied(given), move, lambda array: array)

    return moved
