"""check: gather evidence, cheapest first, until the verdict is decided."""

from __future__ import annotations

import platform
import time
from collections.abc import Callable, Iterator
from importlib import metadata
from typing import Any

from ..cases import Case
from ..differences import Comparison
from ..differences.comparing import compare_leaves
from ..noise import Noise, noise_of, widened
from .evidence.casts import casts
from .evidence.evidence import Evidence
from .evidence.flips import flips
from .evidence.integers import integers
from .evidence.noise import backward_evidence, fast_products, noise_evidence, peer_evidence
from .evidence.overlap import overlap
from .evidence.precision import precision
from .evidence.redraw import redraw
from .evidence.repetition import repetition, sized
from .evidence.scaling import scaling
from .evidence.structure import bits, effects, specials, structure
from .judging import decide, formula, loss_is_tolerable
from .result import CheckResult


def check(
    actual: Callable[..., Any],
    expected: Callable[..., Any],
    inputs: Any,
    *,
    declared: object = None,
    reference: Callable[..., Any] | None = None,
    keywords: dict[str, Any] | None = None,
    gradients: bool = False,
    seed: int = 0,
    progress: Callable[[str], None] | None = None,
) -> CheckResult:
    """Is the difference between two implementations rounding or a mistake?

    Args:
        actual: the implementation under test: a function or `nn.Module`.
        expected: what it is compared with; it is not assumed to be the more accurate one.
        inputs: a tuple of positional arguments for both: tensors, arrays, numbers, nested containers. They are copied, never changed.
        declared: the precision that `actual` is entitled to: "float64", "float32", "tf32", "bfloat16", "float16", ... Default: that of
            the data, the finest floating-point dtype among the inputs unless `expected` returns something coarser.
        reference: a callable of better than working precision; it is given the inputs in float64.
        keywords: keyword arguments for both.
        gradients: also compare the gradients of a fixed random combination of the outputs.
        seed: for the noise and for functions that draw random numbers.
        progress: called with a few words before each step that takes time.

    Returns:
        A `CheckResult`: `verdict`, `acceptable`, `reason`, `evidence`, `difference`; print it for the whole answer.

    Raises:
        InputError: something that is not callable, an unknown precision, outputs that are not numerical.
        RunError: a function raised on the inputs; carries the user's traceback.

    Numerics:
        The noise is an estimate (see `halfulp.noise.noise_of`); one statistic calls honest rounding beyond rounding with probability 1e-3.

    Example:
        >>> import torch
        >>> torch.manual_seed(0)  # doctest: +ELLIPSIS
        <torch._C.Generator object at ...>
        >>> x, w, b = torch.randn(8, 256), torch.randn(32, 256), torch.randn(32)
        >>> result = check(lambda x, w, b: x @ w.T + b, torch.nn.functional.linear, (x, w, b))
        >>> result.verdict, result.acceptable
        (Verdict.ROUNDING, True)
    """
    start = time.perf_counter()
    case = Case(
        actual,
        expected,
        inputs,
        declared=declared,
        reference=reference,
        keywords=keywords,
        gradients=gradients,
        seed=seed,
    )
    gatherer = _Gatherer(case, progress or (lambda _: None))
    evidence = tuple(gatherer.gather())
    decision = decide(evidence)
    return CheckResult(
        verdict=decision.verdict,
        because=decision.because,
        evidence=evidence,
        difference=gatherer.comparison,
        declared=case.declared.name,
        names=(_name(actual, "actual"), _name(expected, "expected")),
        seed=seed,
        seconds=time.perf_counter() - start,
        versions=versions(),
    )


class _Gatherer:
    """Asks for one kind of evidence after the other and stops where `judge` needs no more."""

    def __init__(self, case: Case, progress: Callable[[str], None]) -> None:
        self.case = case
        self.progress = progress
        self.found: dict[str, Evidence] = {}
        self.comparison = Comparison(())

    def _add(self, evidence: Evidence | None) -> Iterator[Evidence]:
        if evidence is not None:
            self.found[evidence.kind] = evidence
            yield evidence

    def _finding(self, kind: str) -> str:
        return self.found[kind].finding if kind in self.found else ""

    def gather(self) -> Iterator[Evidence]:
        case = self.case
        self.progress("running both sides")
        actual, expected = case.native("actual"), case.native("expected")
        self.comparison = compare_leaves(actual.outputs, expected.outputs)
        yield from self._add(structure(self.comparison))
        yield from self._add(effects(case))
        if self._finding("structure") == "differs":
            return
        self.progress("running both sides again")
        repeated = repetition(case)
        yield from self._add(specials(self.comparison))
        yield from self._add(bits(self.comparison))
        if repeated.finding == "unwritten memory":
            yield from self._add(repeated)
            return
        settled = self._finding("specials") != "same" or self._finding("bits") == "same"
        if settled and repeated.finding == "same":
            yield from self._add(repeated)
            yield from self._add(overlap(case) if self._finding("specials") == "differ" else None)
            return
        self.progress("sampling how far rounding goes")
        sampled = noise_of(case)
        # A side that disagrees with itself has no error of its own that could be called honest.
        noise = widened(sampled, expected) if repeated.finding == "same" else sampled
        yield from self._add(sized(case, repeated, sampled))
        if settled or self._finding("repetition") in ("beyond rounding", "fails"):
            return
        yield from self._add(noise_evidence(case, noise, sampled))
        yield from self._add(backward_evidence(case, actual, sampled))
        yield from self._add(peer_evidence(actual, expected, noise))
        yield from self._decide_with_more(noise)

    def _decide_with_more(self, noise: Noise) -> Iterator[Evidence]:
        case = self.case
        within = self._finding("noise") in ("within", "")
        if not (within and case.actual.is_compiled):  # lifting a compiled function compiles it again
            self.progress("running both sides in another precision")
            yield from self._add(scaling(case, noise, beyond=not within))
        if self.found["bits"].measured.get("unequal_integers") or not within:
            self.progress("looking for jumps")
            yield from self._add(flips(case, noise))
        if within and self._finding("scaling") in ("unavailable", "agrees in float32"):
            self.progress("drawing the rounding errors anew")
            yield from self._add(redraw(case, noise))
        if within:
            if self._finding("scaling") == "stays" or self.found["bits"].measured.get("unequal_integers"):
                yield from self._add(casts(case, noise))
                yield from self._add(overlap(case))
            return
        if self._finding("flips") == "jumps" and formula(self.found) is not False:
            return
        if formula(self.found) is None or self._finding("scaling") == "agrees in float32":
            self.progress("trying small integers")
            yield from self._add(integers(case))
            self.progress("drawing the rounding errors anew")
            yield from self._add(redraw(case, noise))
        if self._finding("scaling") in ("stays", "unavailable"):
            yield from self._add(casts(case, noise))
        if formula(self.found) is True and noise.has_products and not loss_is_tolerable(self.found):
            self.progress("sampling what fast products lose")
            yield from self._add(fast_products(case))
        if formula(self.found) is not True or not loss_is_tolerable(self.found):
            self.progress("trying coarser formats")
            yield from self._add(precision(case, noise, formula_is_right=formula(self.found) is True))
            yield from self._add(overlap(case))


def _name(function: Callable[..., Any], role: str) -> str:
    name = getattr(function, "__name__", None) or type(function).__name__
    return role if name in ("<lambda>", role) else f"{role} ({name})"


def versions() -> dict[str, str]:
    """Versions of what takes part in a check."""
    found = {"python": platform.python_version()}
    for package in ("halfulp", "torch", "numpy"):
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            found[package] = "not installed"
    return found
