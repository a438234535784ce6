"""worst: the inputs on which an implementation is farthest off, in units of what rounding does there."""

from __future__ import annotations

import inspect
import math
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch

from ..cases import Case, require_runnable
from ..errors import InputError, shortened
from ..process.border import answered
from ..searches import Found, Trial, search_inputs
from ..searches.reduction import Interrupted, reduced
from ..verdicts.checker import judged, judged_with_modules, unfinished
from ..verdicts.gatherer import Gatherer
from ..verdicts.result import CheckResult
from .kept_inputs import literal, strides_of
from .packed_tensors import packed
from .worst_inputs import Argument, Worst

SECONDS = 60.0
"""How long a search takes by default. Half of the faults that `python -m benchmarks.worst.run` plants are found in the first half second."""
REDUCING = 0.2
"""Share of the time that is kept for making the found inputs smaller."""
FIRST = 16
"""Numbers of each argument that are shown."""


@answered
def worst(
    actual: Callable[..., Any],
    expected: Callable[..., Any],
    inputs: Any,
    *,
    declared: object = None,
    reference: Callable[..., Any] | None = None,
    keywords: dict[str, Any] | None = None,
    gradients: bool = False,
    seconds: float = SECONDS,
    evaluations: int | None = None,
    first: bool = False,
    reduce: bool = True,
    seed: int = 0,
    progress: Callable[[str], None] | None = None,
) -> Worst:
    """On which inputs is `actual` farthest off?

    An error counts in units of what rounding does on the same inputs, so an ill-conditioned input does not count as bad. What is tried: the labeled
    variants of the given inputs (`halfulp.inputs.variants`), for elementwise functions single numbers of every binade and their neighbors,
    gradients of the difference in float64, and recipes (scale, mean, spread of exponents, zeros, cancellation, ties, likeness of two
    tensors), whose dials CMA-ES turns.

    Args:
        actual: the implementation under test. expected: what it is compared with.
        inputs: a tuple of positional arguments, where the search begins: their shapes, dtypes and signs are kept, but for the variants.
        declared, reference, keywords, gradients: see `check`.
        seconds: how long the search may take, with making what it finds smaller. evaluations: how many inputs it may measure, likewise; by
            default as many as there is time for.
        first: whether the first inputs beyond the limit are enough.
        reduce: whether what was found is made smaller and plainer while it stays bad. seed: of all that is drawn.
        progress: told how far it is.

    Returns:
        A `Worst`: `inputs`, `excess`, and `result`, which is what `check` says of them.

    Raises:
        InputError: a stored result among the sides, a time that is not above zero. RunError: a side fails on the given inputs.

    Example:
        >>> import torch
        >>> one_pass = lambda x: (x * x).mean(-1) - x.mean(-1) ** 2
        >>> found = worst(one_pass, lambda x: x.var(-1, correction=0), torch.randn(4, 64), evaluations=20)
        >>> found.given_excess < 1 < found.excess
        True
    """
    require_runnable("`worst` runs both sides on inputs of its own", {"actual": actual, "expected": expected})
    if not seconds > 0:
        raise InputError(
            f"Got seconds={seconds}. Needed: a number above 0. The search goes on until they are over. Leave it out for {SECONDS:g}."
        )
    start, told = time.perf_counter(), progress or (lambda _: None)

    def case_of(given: Any, named: dict[str, Any] | None) -> Case:
        return Case(actual, expected, given, declared=declared, reference=reference, keywords=named, gradients=gradients, seed=seed)

    given = case_of(inputs, keywords)
    for name in ("expected", "actual"):
        given.native(name)
    count, names = len(given.inputs), tuple(given.keywords)
    arguments = (*given.inputs, *given.keywords.values())

    def case_on(row: tuple[Any, ...]) -> Case:
        return case_of(row[:count], dict(zip(names, row[count:])) or None)

    def acceptable(case: Case) -> bool:
        return judged(Gatherer(case, told)).acceptable is not False

    share = 1.0 - REDUCING if reduce else 1.0
    most, enough = math.inf if evaluations is None else evaluations, 1.0 if first else math.inf
    searched = most if math.isinf(most) else math.ceil(share * most)
    trial = Trial(case_on, seconds=share * seconds, most=searched, enough=enough, acceptable=acceptable, progress=told)
    smaller: Found | None = None
    small, complete = None, True
    try:
        found = search_inputs(trial, arguments, seed)
        if reduce and found is not None and found.excess > 1.0 and trial.evaluations < most:
            told("making the inputs smaller")
            small = Trial(case_on, seconds=REDUCING * seconds, most=most - trial.evaluations, acceptable=acceptable, progress=told)
            smaller = reduced(small, found)
    except KeyboardInterrupt:
        complete = False
    except Interrupted as interrupt:
        complete, smaller = False, interrupt.best
    found = trial.worst or Found(arguments, "the given inputs", 0.0)
    # Smaller inputs may be bad in another way, which is none, and not each that is worse by its number was asked about.
    candidates = [trial.pending, smaller or found, found, trial.confirmed]
    kept, result, was_judged = _judged(candidates, lambda each: Gatherer(case_on(each.inputs), told), told)
    return Worst(
        label=kept.label, excess=kept.excess, given_excess=trial.first, result=result,
        arguments=_arguments((*_names(actual, count), *names), kept.inputs, count), reduced=kept is smaller and kept is not found,
        evaluations=trial.evaluations + (small.evaluations if small else 0), refused=trial.refused + (small.refused if small else 0),
        refused_alone=trial.refused_alone, refusal=trial.refusal,
        seconds=time.perf_counter() - start, seed=seed, complete=complete and was_judged,
    )  # fmt: skip


def _judged(
    candidates: Sequence[Found | None], gatherer_of: Callable[[Found], Gatherer], told: Callable[[str], None]
) -> tuple[Found, CheckResult, bool]:
    """The first of some inputs that is not acceptable, else the first of all; its verdict; and False where the user interrupted.

    Args:
        candidates: at least one of them is there; the last one, if it is, is known not to be acceptable.
    """
    known: list[tuple[Found, CheckResult]] = []
    for each in candidates:
        if each is None or any(each is other for other, _ in known):
            continue
        gatherer, start = gatherer_of(each), time.perf_counter()
        try:
            told("judging the worst inputs")
            known.append((each, judged_with_modules(gatherer)))
        except KeyboardInterrupt:
            if candidates[-1] is not None:
                return candidates[-1], unfinished(gatherer_of(candidates[-1]), 0.0), False
            return *(known[0] if known else (each, unfinished(gatherer, time.perf_counter() - start))), False
        if known[-1][1].acceptable is False:
            return *known[-1], True
    return *known[0], True


def _arguments(names: Sequence[str], values: Sequence[Any], positional: int) -> tuple[Argument, ...]:
    return tuple(_argument(name, value, is_keyword=place >= positional) for place, (name, value) in enumerate(zip(names, values)))


def _argument(name: str, value: Any, *, is_keyword: bool) -> Argument:
    if isinstance(value, np.ndarray):
        value = torch.from_numpy(np.ascontiguousarray(value))
    if not isinstance(value, torch.Tensor) or value.layout != torch.strided or value.is_quantized:
        return Argument(name, "", (), text=_text_of(value.item() if isinstance(value, np.generic) else value), is_keyword=is_keyword)
    first = value.detach().reshape(-1)[:FIRST].tolist() if not value.is_complex() else []
    return Argument(
        name,
        str(value.dtype).removeprefix("torch."),
        tuple(value.shape),
        tuple(map(float, first)),
        packed(value),
        strides=strides_of(value),
        is_keyword=is_keyword,
    )


def _text_of(value: Any) -> str:
    """The literal of a value; a shortened description of one that has none, such as a list of tensors."""
    try:
        literal(repr(value))
    except ValueError:
        return shortened(repr(value))
    return repr(value)


def _names(function: Callable[..., Any], count: int) -> tuple[str, ...]:
    """What the positional arguments are called: by the function's parameters, else by their places."""
    try:
        forward = function.forward if isinstance(function, torch.nn.Module) else function
        names = [
            each.name
            for each in inspect.signature(forward).parameters.values()
            if each.kind in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD)
        ]
    except (TypeError, ValueError):
        names = []
    return tuple(names[place] if place < len(names) else f"inputs[{place}]" for place in range(count))
