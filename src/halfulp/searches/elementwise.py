"""Elementwise functions: a case whose results depend on one element of each input, as a function of single numbers."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable
from typing import Any

import torch

from ..cases import LIFTED, Case, Run
from ..errors import HalfulpError
from ..floats import FORMATS
from ..noise import noise_of
from .found import OutOfBudget, Trial
from .scalar_search import worst_scalars
from .scalars import AT_ONCE, Function, in_noise_of

MOST_S = 20.0
"""At most half of this many seconds goes to single numbers, so that recipes get the rest of a longer search. Not calibrated."""
SAME = 2.0**-7
"""How far a result may move with other elements: code for the last few rounds otherwise, in any format here by at most this much."""
MOST_NUMBERS = 1 << 24
"""The most numbers that are asked for. The time, or rounds that find nothing worse, nearly always end it before."""


def try_scalars(trial: Trial, inputs: tuple[Any, ...], seed: int) -> None:
    """Search for single numbers, and measure a tensor of the worst; nothing where results depend on more than one element.

    Raises:
        OutOfBudget: the time is over before the tensor could be measured.
    """
    function = function_of(trial.case_on, inputs)
    if function is None:
        return
    trial.progress("trying numbers of every binade, and around the worst of them")
    end, most = trial.left - 0.5 * min(trial.left, MOST_S), trial.evaluations + 0.5 * (trial.most - trial.evaluations)
    try:
        found = worst_scalars(function, MOST_NUMBERS, seed, lambda: trial.left > end and trial.evaluations < most and trial.takes_a_round())
    except (HalfulpError, NotElementwise):  # a side refuses some numbers
        return
    if not found.in_noise or found.in_noise[0] == 0.0:
        return
    label = "numbers around " + ", ".join(f"{float(argument[0]):.9g}" for argument in found.arguments)
    trial.measure(with_numbers(inputs, found.arguments), label)
    if trial.left <= 0:
        raise OutOfBudget


def function_of(case_on: Callable[[tuple[Any, ...]], Case], inputs: tuple[Any, ...]) -> Function | None:
    """The function of single numbers that a case computes; None where it is none, or takes no tensors of another length.

    Its numbers lie on the CPU; both sides get them on the device of the given ones.
    """
    tensors = [value for value in inputs if isinstance(value, torch.Tensor)]
    names = {str(value.dtype).removeprefix("torch.") for value in tensors}
    if len(names) != 1 or len({value.shape for value in tensors}) != 1 or not tensors[0].is_floating_point():
        return None
    target = FORMATS.get(names.pop())
    if target is None or target.storage_bits not in (16, 32):
        return None

    latest: list[tuple[tuple[torch.Tensor, ...], Case]] = []  # both sides and the exact values of the same numbers share a case

    def case_of(arguments: tuple[torch.Tensor, ...]) -> Case:
        if latest and len(latest[0][0]) == len(arguments) and all(map(operator.is_, latest[0][0], arguments)):
            return latest[0][1]
        case = case_on(with_numbers(inputs, arguments))
        latest[:] = [(arguments, case)]
        return case

    def native(name: str) -> Callable[..., torch.Tensor]:
        return lambda *arguments: _only(case_of(arguments).native(name), arguments[0])

    def exact(*arguments: torch.Tensor) -> torch.Tensor:
        run = case_of(arguments).run("expected", LIFTED)
        if not isinstance(run, Run):
            raise NotElementwise
        return _only(run, arguments[0])

    function = Function(
        native("actual"),
        exact,
        target,
        tuple(bool((value < 0).any()) or not bool((value > 0).any()) for value in tensors),
        native("expected"),
    )
    try:
        given = case_on(inputs)
        if not noise_of(given, samples=1).is_elementwise:
            return None
        _only(given.native("actual"), tensors[0])
        flat = [value.detach().cpu().reshape(-1) for value in tensors]
        probe = tuple(value.repeat(math.ceil(AT_ONCE / max(1, value.numel())))[:AT_ONCE] for value in flat)
        in_noise_of(function, probe)
        return function if all(_stays_in_place(side, probe) for side in (native("actual"), native("expected"))) else None
    except (HalfulpError, NotElementwise):
        return None


def with_numbers(inputs: tuple[Any, ...], numbers: Iterable[torch.Tensor]) -> tuple[Any, ...]:
    """The inputs with other tensors, each on the device of the one it stands for."""
    values = iter(numbers)
    return tuple(next(values).to(value.device) if isinstance(value, torch.Tensor) else value for value in inputs)


def _stays_in_place(side: Callable[..., torch.Tensor], probe: tuple[torch.Tensor, ...]) -> bool:
    """Whether results stay the same while half of the arguments become zero: exact ops (a maximum, a roll) are not seen in the noise."""
    results, places = side(*probe), torch.arange(len(probe[0]))
    halves = places < len(places) // 2, places % 2 == 0
    extremes = [(value != value.max()) & (value != value.min()) for value in probe]  # wherever they are: the given numbers repeat
    for kept in (*halves, *(~half for half in halves), *extremes):
        changed = side(*(torch.where(kept, value, torch.zeros_like(value)) for value in probe))
        if not bool(torch.isclose(changed[kept], results[kept], rtol=SAME, atol=0.0, equal_nan=True).all()):
            return False
    return True


class NotElementwise(Exception):
    """It can't be taken as a function of single numbers."""


def _only(run: Run, like: torch.Tensor) -> torch.Tensor:
    """The only result, which has the shape of the arguments.

    Raises:
        NotElementwise: there are several, or it has another shape.
    """
    if len(run.outputs) != 1 or run.outputs[0].format is None or tuple(run.outputs[0].stored.shape) != tuple(like.shape):
        raise NotElementwise
    return torch.from_numpy(run.outputs[0].float64())
