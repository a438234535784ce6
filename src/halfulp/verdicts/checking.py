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
from ..errors import InputError, RunError
from ..inputs import EXOTIC, KINDS, variants
from ..noise import Noise, noise_of, widened
from .evidence.casts import casts
from .evidence.evidence import Evidence
from .evidence.flips import flips
from .evidence.integers import impulses, integers
from .evidence.noise import backward_evidence, fast_products, noise_evidence, peer_evidence
from .evidence.overlap import overlap
from .evidence.patterns import patterns
from .evidence.permutations import permutations
from .evidence.powers import powers
from .evidence.precision import precision
from .evidence.redraw import redraw
from .evidence.repetition import repetition, sized
from .evidence.scaling import scaling
from .evidence.structure import bits, effects, specials, structure
from .judging import WEAK, decide, formula, loss_is_tolerable
from .result import CheckResult
from .verdict import Verdict


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
    effort: str = "decide",
    search: bool = False,
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
        effort: "decide" gathers evidence, cheapest first, until the verdict is decided; "full" gathers all of it.
        search: also try variants of the inputs (`halfulp.inputs.variants`) and report the first that makes the verdict a worse one.
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
    if effort not in EFFORTS:
        raise InputError(
            f"Got effort={effort!r}. Needed: one of {', '.join(EFFORTS)}. It says how much evidence is gathered. Leave it out."
        )
    start = time.perf_counter()
    progress = progress or (lambda _: None)

    def case_on(given: Any) -> Case:
        return Case(actual, expected, given, declared=declared, reference=reference, keywords=keywords, gradients=gradients, seed=seed)

    case = case_on(inputs)
    gatherer = _Gatherer(case, progress, full=effort == "full")
    evidence = tuple(gatherer.gather())
    decision = decide(evidence)
    kinds = KINDS if search else ("sizes",) if effort == "full" else ()
    if kinds and decision.verdict.acceptable:
        evidence = (*evidence, search_variants(case_on, inputs, seed, decision.verdict, progress, kinds=kinds))
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


EFFORTS = ("decide", "full")


def search_variants(
    case_on: Callable[[Any], Case], inputs: Any, seed: int, verdict: Verdict, progress: Callable[[str], None], *, kinds: tuple[str, ...]
) -> Evidence:
    """The first variant of the inputs on which the verdict is not acceptable any more.

    Differences on special values and empty tensors are reported and do not decide: honest implementations may differ there.

    Args:
        case_on: makes the case for given inputs. inputs, seed: what the variants are made from. verdict: that on the given inputs.
        kinds: which kinds of variants are tried.
    """
    tried, refused = 0, 0
    exotic: list[str] = []
    for variant in variants(inputs, seed):
        if variant.kind not in kinds:
            continue
        progress(f"trying {variant.label}")
        case = case_on(variant.inputs)
        try:
            for name in ("expected", "actual"):
                case.native(name)
        except (RunError, InputError):  # sizes that the weights don't have, an empty axis without a maximum
            refused += 1
            continue
        tried += 1
        gatherer = _Gatherer(case, lambda _: None)
        decision = decide(tuple(gatherer.gather()))
        if decision.verdict.acceptable is not False:
            continue
        if variant.kind in EXOTIC:
            exotic.append(f"{variant.label}: {decision.verdict.name}")
            continue
        found = gatherer.comparison
        measured = {
            "variant": variant.label,
            "kind": variant.kind,
            "verdict": decision.verdict.name,
            "given_verdict": verdict.name,
            "because": list(decision.because),
            "max_abs": found.max_abs,
            "unequal": found.unequal,
            "count": found.count,
        }
        return Evidence("search", "changed", (decision.verdict,), {**measured, "tried": tried, "refused": refused})
    return Evidence("search", "unchanged", (verdict,), {"tried": tried, "refused": refused, "exotic": exotic})


class _Gatherer:
    """Asks for one kind of evidence after the other and stops where `judge` needs no more; with `full` it stops nowhere."""

    def __init__(self, case: Case, progress: Callable[[str], None], *, full: bool = False) -> None:
        self.case = case
        self.progress = progress
        self.full = full
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
        special = self._finding("specials") != "same"
        settled = special or (self._finding("bits") == "same" and not self.full)
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
        yield from self._everything(noise) if self.full else self._until_decided(noise)

    def _everything(self, noise: Noise) -> Iterator[Evidence]:
        """All kinds of evidence, whatever the earlier ones say."""
        case = self.case
        beyond = self._finding("noise") == "beyond"
        steps: list[tuple[str, Callable[[], Evidence | None]]] = [
            ("running both sides in another precision", lambda: scaling(case, noise, beyond=beyond)),
            ("looking for jumps", lambda: flips(case, noise)),
            ("trying small integers", lambda: integers(case)),
            ("trying impulses", lambda: impulses(case)),
            ("drawing the rounding errors anew", lambda: redraw(case, noise)),
            ("scaling by powers of two", lambda: powers(case, noise)),
            ("permuting", lambda: permutations(case, noise)),
            ("looking for patterns", lambda: patterns(case, noise)),
            ("taking casts out", lambda: casts(case, noise)),
            ("sampling what fast products lose", lambda: fast_products(case) if beyond and noise.has_products else None),
            ("trying coarser formats", lambda: precision(case, noise, formula_is_right=formula(self.found) is True) if beyond else None),
            ("watching writes", lambda: overlap(case)),
        ]
        for words, step in steps:
            self.progress(words)
            yield from self._add(step())

    def _until_decided(self, noise: Noise) -> Iterator[Evidence]:
        if self._finding("noise") in ("within", ""):
            yield from self._within(noise)
        else:
            yield from self._beyond(noise)

    def _within(self, noise: Noise) -> Iterator[Evidence]:
        """More about an error that rounding may make: would it vanish in exact arithmetic?"""
        case = self.case
        unequal_integers = bool(self.found["bits"].measured.get("unequal_integers"))
        if not case.actual.is_compiled:  # lifting a compiled function compiles it again
            self.progress("running both sides in another precision")
            yield from self._add(scaling(case, noise, beyond=False))
        if unequal_integers:
            self.progress("looking for jumps")
            yield from self._add(flips(case, noise))
        if self._finding("scaling") in ("unavailable", "agrees in float32"):
            self.progress("drawing the rounding errors anew")
            yield from self._add(redraw(case, noise))
        if self._finding("scaling") == "unavailable":
            self.progress("scaling and permuting")
            yield from self._add(powers(case, noise))
            yield from self._add(permutations(case, noise))
            self.progress("looking for patterns")
            yield from self._add(patterns(case, noise))
        if self._finding("scaling") == "stays" or unequal_integers:
            yield from self._add(casts(case, noise))
            yield from self._add(overlap(case))

    def _beyond(self, noise: Noise) -> Iterator[Evidence]:
        """More about an error beyond rounding: a jump, another function, a coarser format, or an unstable algorithm?"""
        case = self.case
        self.progress("running both sides in another precision")
        yield from self._add(scaling(case, noise, beyond=True))
        self.progress("looking for jumps")
        yield from self._add(flips(case, noise))
        if self._finding("flips") == "jumps" and formula(self.found) is not False:
            return
        weak = self._finding("scaling") in WEAK
        if formula(self.found) is None or weak:
            self.progress("trying small integers")
            yield from self._add(integers(case))
            self.progress("drawing the rounding errors anew")
            yield from self._add(redraw(case, noise))
        if formula(self.found) is None:
            self.progress("scaling by powers of two")
            yield from self._add(impulses(case))
            yield from self._add(powers(case, noise))
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
