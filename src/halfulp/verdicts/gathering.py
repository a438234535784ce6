"""Gather evidence about a case: cheapest first, until it is decided, or all of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ..cases import Case
from ..differences import Comparison
from ..differences.comparing import compare_leaves
from ..noise import Noise, noise_of, widened
from .evidence.casts import casts
from .evidence.evidence import Evidence
from .evidence.families import families
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
from .judging import OVERRULED_BY_BITS, WEAK, decide, formula, loss_is_tolerable

EFFORTS = ("decide", "full")


class Gatherer:
    """Asks for one kind of evidence after the other and stops where `judge` needs no more; with `full` it stops nowhere.

    Attributes:
        comparison: of the two sides as written. sampled: the noise, None until it was asked for.
    """

    def __init__(self, case: Case, progress: Callable[[str], None], *, full: bool = False) -> None:
        self.case = case
        self.progress = progress
        self.full = full
        self.found: dict[str, Evidence] = {}
        self.comparison = Comparison(())
        self.sampled: Noise | None = None

    def _add(self, evidence: Evidence | None) -> Iterator[Evidence]:
        if evidence is not None:
            self.found[evidence.kind] = evidence
            yield evidence

    def _finding(self, kind: str) -> str:
        return self.found[kind].finding if kind in self.found else ""

    def gather(self) -> Iterator[Evidence]:
        """The evidence, piece by piece; `comparison` is set on the way."""
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
        yield from self._add(bits(self.comparison, case))
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
        sampled = self.sampled = noise_of(case)
        # A side that disagrees with itself has no error of its own that could be called honest.
        noise = widened(sampled, expected) if repeated.finding == "same" else sampled
        yield from self._add(sized(case, repeated, sampled))
        if settled or self._finding("repetition") in ("beyond rounding", "fails"):
            return
        yield from self._add(noise_evidence(case, noise, sampled))
        yield from self._add(backward_evidence(case, actual, sampled))
        yield from self._add(peer_evidence(actual, expected, noise))
        yield from self._everything(noise) if self.full else self._until_decided(noise)
        if self.full or decide(self.found.values()).verdict in OVERRULED_BY_BITS:
            self.progress("comparing with common orders of summation")
            yield from self._add(families(case))

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
        if self._finding("scaling") in ("", "unavailable", "agrees in float32"):
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
