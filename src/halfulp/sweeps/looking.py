"""looked_at(): a flagged case made smaller, explained, and written as a program with a text for a report."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from ..cases import Case
from ..causes import explain
from ..errors import HalfulpError
from ..searches import Found, Trial
from ..searches.reduction import reduced
from ..store.records import Row
from ..verdicts.checker import judged
from ..verdicts.gatherer import Gatherer
from ..words.numbers import number
from .case_sources import Sample
from .finding_script import finding_script
from .plan import Plan

SHARE = 0.5
"""Of the time for a finding, what making it smaller may take; the rest is for explaining it."""


def looked_at(sample: Sample, row: Row, plan: Plan) -> dict[str, str]:
    """What is said of a finding: the fields of `Finding` beyond those that name the case.

    Args:
        sample: the case. row: what was found of it. plan: its seconds for explaining.
    """
    if sample.judged is not None or plan.explain_s <= 0:
        return {}
    options = {**sample.options}
    keywords = dict(options.pop("keywords", None) or {})
    arguments = (*sample.inputs, *keywords.values())
    count = len(sample.inputs)

    def case_on(given: tuple[Any, ...]) -> Case:
        return Case(
            sample.actual, sample.expected, given[:count], keywords=dict(zip(keywords, given[count:])) or None, seed=plan.seed, **options
        )

    smallest = _smaller(arguments, case_on, row.verdict, SHARE * plan.explain_s)
    inputs, named = smallest[:count], dict(zip(keywords, smallest[count:]))
    is_smaller = smallest is not arguments
    found = {"smallest": _in_words(smallest), "script": finding_script(sample, row, inputs, named, is_smaller=is_smaller)}
    try:
        explanation = explain(
            sample.actual, sample.expected, sample.inputs, keywords=keywords or None, seed=plan.seed,
            budget_s=(1.0 - SHARE) * plan.explain_s, processes=False, **options,
        )  # fmt: skip
    except Exception as error:  # of the code under test too: what was found so far is kept
        return {**found, "explanation": f"It could not be explained: {' '.join(str(error).split())[:300]}"}
    if explanation.causes:
        first = explanation.causes[0]
        found |= {
            "cause": first.name,
            "explanation": f"{first.statement} ({number(100 * first.share)} % of the difference, confidence {first.confidence})",
        }
    if explanation.place is not None:
        place = explanation.place
        found["origin"] = ", ".join(filter(None, (place.op, place.module, place.source)))
    return found


def _smaller(arguments: tuple[Any, ...], case_on: Callable[[tuple[Any, ...]], Case], verdict: str, seconds: float) -> tuple[Any, ...]:
    """Arguments on which the case has the same verdict; those given where none are smaller."""

    def keeps(inputs: tuple[Any, ...]) -> bool:
        try:
            return judged(Gatherer(case_on(inputs), lambda _: None)).verdict.name == verdict
        except HalfulpError:
            return False

    trial = Trial(case_on, seconds=seconds)
    excess = trial.measure(arguments, "the case")
    if excess <= 1.0:  # flagged for something else than its size, which a search can't climb
        return arguments
    return reduced(trial, Found(arguments, "the case", excess), keeps).inputs


def _in_words(arguments: tuple[Any, ...]) -> str:
    return ", ".join(_argument(value) for value in arguments)


def _argument(value: Any) -> str:
    if not isinstance(value, torch.Tensor):
        return repr(value)[:60]
    dtype = str(value.dtype).removeprefix("torch.")
    if value.numel() <= 4 and not value.is_complex():
        return f"{dtype} {value.detach().tolist()}"
    return f"{dtype}[{', '.join(map(str, value.shape))}]"
