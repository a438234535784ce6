"""check: two functions, their inputs, a verdict."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable
from typing import Any
from warnings import warn

from ..cases import Case
from ..errors import InputError
from ..inputs import KINDS
from ..process.border import answered
from ..process.versions import versions
from . import limits
from .closeups import closeups_of
from .evidence.evidence import Evidence
from .evidence.finding import Finding
from .evidence.inside import inside
from .gatherer import Gatherer
from .judgment import decide
from .result import CheckResult
from .variant_search import search_variants
from .verdict import Verdict


@answered
def check(
    actual: Any,
    expected: Any,
    inputs: Any,
    *,
    declared: object = None,
    reference: Callable[..., Any] | None = None,
    keywords: dict[str, Any] | None = None,
    gradients: bool = False,
    seed: int = 0,
    full: bool = False,
    search: bool = False,
    closeups: bool = False,
    strict: bool = False,
    progress: Callable[[str], None] | None = None,
    effort: str | None = None,
) -> CheckResult:
    """Is the difference between two implementations rounding or a mistake?

    Args:
        actual: the implementation under test: a function or `nn.Module`.
        expected: what it is compared with; it is not assumed to be the more accurate one. Where only the numbers of one of the two are at
            hand, they may stand for it: tensors, arrays, containers of them. What takes another run of that side is then not asked.
        inputs: a tuple of positional arguments for both: tensors, arrays, numbers, nested containers, objects that hold them (a cache). A
            dict whose keys are parameters of both is keyword arguments. They are copied, never changed.
        declared: the precision that `actual` is entitled to: "float64", "float32", "tf32", "bfloat16", "float16", ... Default: that of
            the data, the finest floating-point dtype among the inputs unless `expected` returns something coarser.
        reference: a callable of better than working precision; it is given the inputs in float64.
        keywords: keyword arguments for both.
        gradients: also compare the gradients of a fixed random combination of the outputs.
        seed: for the noise and for functions that draw random numbers.
        full: gather all evidence; otherwise, cheapest first, only what decides the verdict.
        search: also try variants of the inputs (`halfulp.inputs.variants`) and report the first that makes the verdict a worse one.
        closeups: also keep what pictures are drawn from: some elements of each output with their noise, means along its axes.
        strict: make it UNDECIDED where the inputs test nothing (empty or constant outputs, zero inputs), instead of a warning.
        progress: called with a few words before each step that takes time.
        effort: the old spelling of `full` ("full" or "decide"), for one more version.

    Returns:
        A `CheckResult`: `verdict`, `acceptable`, `reason`, `evidence`, `difference`; print it for the whole answer.

    Raises:
        InputError: two results and no function, an unknown precision, outputs that are not numerical, `search` with a stored result.
        RunError: a function raised on the inputs; carries the user's traceback.

    Numerics:
        The noise is an estimate (see `halfulp.noise.noise_of`); one statistic calls honest rounding beyond rounding with probability 1e-3.

    Example:
        >>> import torch
        >>> torch.manual_seed(0)  # doctest: +ELLIPSIS
        <torch._C.Generator object at ...>
        >>> x, w, b = torch.randn(8, 256), torch.randn(32, 256), torch.randn(32)
        >>> result = check(lambda x, w, b: (x[:, None] * w).sum(-1) + b, torch.nn.functional.linear, (x, w, b))
        >>> result.verdict, result.acceptable
        (Verdict.ROUNDING, True)
    """
    full = full or _is_full(effort)
    start = time.perf_counter()
    progress = progress or (lambda _: None)

    def case_on(given: Any) -> Case:
        arguments, named = given
        return Case(actual, expected, arguments, declared=declared, reference=reference, keywords=named, gradients=gradients, seed=seed)

    case = Case(actual, expected, inputs, declared=declared, reference=reference, keywords=keywords, gradients=gradients, seed=seed)
    if search and case.stored:
        raise InputError(
            f"Got search=True with {case.stored}={case.side(case.stored).function!r}. Needed: two functions. Trying "
            "other inputs means running both again, and a stored result can't be run. Leave out search=True "
            "(--search)."
        )
    gatherer = Gatherer(case, progress, full=full, strict=strict)
    result = judged_with_modules(gatherer)
    if closeups:
        progress("looking at individual elements")
        result = dataclasses.replace(result, closeups=closeups_of(gatherer))
    kinds = KINDS if search else ("sizes",) if full and not case.stored else ()
    if kinds and result.acceptable:
        result = _decided_again(result, search_variants(case_on, (case.inputs, case.keywords), seed, result.verdict, progress, kinds=kinds))
    return dataclasses.replace(result, seconds=time.perf_counter() - start)


def _is_full(effort: str | None) -> bool:
    """What `full` was called in version 0.1."""
    if effort is None:
        return False
    if effort not in ("decide", "full"):
        raise InputError(
            f"Got effort={effort!r}. Needed: full=True or full=False, which says how much "
            "evidence is gathered; effort is its old name. Leave effort out."
        )
    warn('effort="full" is now full=True; the old spelling works for one more version', DeprecationWarning, stacklevel=4)
    return effort == "full"


def _is_as_close(result: CheckResult) -> bool:
    """Whether `actual` is about as close to the reference as `expected`: then no module inside is much further off."""
    peer = result.find("peer")
    return peer is not None and (peer.finding != Finding.EXPECTED or peer.number("ratio") <= limits.FINER)


def _decided_again(result: CheckResult, more: Evidence | None) -> CheckResult:
    """The result with more evidence, if there is any, and what follows from all of it."""
    if more is None:
        return result
    evidence = (*result.evidence, more)
    decision = decide(evidence)
    return dataclasses.replace(result, verdict=decision.verdict, because=decision.because, evidence=evidence)


def judged_with_modules(gatherer: Gatherer) -> CheckResult:
    """The verdict on the inputs of a gatherer's case; where a module inside may be worse than the whole shows, of that module."""
    result = judged(gatherer)
    if result.verdict is Verdict.UNSTABLE or (result.verdict is Verdict.ROUNDING and not _is_as_close(result)):
        gatherer.progress("looking at individual modules")
        result = _decided_again(result, inside(gatherer.case.whole(), lambda case: judged(Gatherer(case, lambda _: None))))
    return result


def judged(gatherer: Gatherer) -> CheckResult:
    """The verdict on the inputs of a gatherer's case, with what it gathered."""
    start = time.perf_counter()
    return _result(gatherer, gatherer.gather(), start)


def unfinished(gatherer: Gatherer, seconds: float) -> CheckResult:
    """The result where the time was over before the verdict: undecided, without the evidence so far, which may be half of an argument."""
    return _result(gatherer, (), time.perf_counter() - seconds)


def _result(gatherer: Gatherer, evidence: tuple[Evidence, ...], start: float) -> CheckResult:
    case, decision = gatherer.case, decide(evidence)
    return CheckResult(
        verdict=decision.verdict,
        because=decision.because,
        evidence=evidence,
        difference=gatherer.comparison,
        declared=case.declared.name,
        names=(_name(case.actual.function, "actual"), _name(case.expected.function, "expected")),
        seed=case.seed,
        seconds=time.perf_counter() - start,
        versions=versions(),
    )


def _name(function: Callable[..., Any], role: str) -> str:
    name = getattr(function, "__name__", None) or type(function).__name__
    return role if name in ("<lambda>", role) else f"{role} ({name})"
