"""Gather evidence about a case: cheapest first, until it is decided, or all of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from ..cases import Case, Precision, Rows
from ..cases.subnormals import flushed, without_subnormals
from ..differences import Comparison
from ..differences.comparison import compare_leaves
from ..noise import DATA, Noise, noise_of, widened
from ..noise.streamed_noise import is_large, rows_of, some_rows, streamed_noise
from ..ops.deviation import SAMPLES
from ..words.stage import Stage
from . import limits
from .evidence.evidence import Evidence, Found
from .evidence.families import families
from .evidence.finding import Finding
from .evidence.gain import gain
from .evidence.noise import backward_evidence, noise_evidence, peer_evidence
from .evidence.overflow import overflow
from .evidence.overlap import overlap
from .evidence.repetition import AGAIN, agrees, repeated_often, repetition, sized
from .evidence.scaling import scaling
from .evidence.stored import stored
from .evidence.structure import bits, effects, specials, structure
from .evidence.vacuous import vacuous
from .judgment import OVERRULED_BY_BITS, decide
from .schedule import SCHEDULE, Asked

F = Finding


class Gatherer:
    """Asks for one kind of evidence after the other and stops where `judge` needs no more; with `full` it stops nowhere.

    Attributes:
        comparison: of the two sides as written. sampled: the noise, None until it was asked for.
    """

    def __init__(self, case: Case, progress: Callable[[str], None], *, full: bool = False, strict: bool = False) -> None:
        self.case = case
        self.progress = progress
        self.full = full
        self.strict = strict
        self.found = Found()
        self.comparison = Comparison(())
        self.sampled: Noise | None = None
        self._told_early: Evidence | None = None
        self._as_written: Evidence | None = None

    def gather(self) -> tuple[Evidence, ...]:
        """The evidence; `comparison` and `sampled` are set on the way.

        Where nothing is wrong but subnormal results that one side flushes to zero, it is the evidence without them; the bits say how many.
        """
        self._gather()
        if decide(self.found.values()).verdict.acceptable is False and self.found.has("bits", F.DIFFER):
            self._gather_without_subnormals()
        return tuple(self.found.values())

    def _gather_without_subnormals(self) -> None:
        case = self.case.whole()
        count = flushed(case)
        if not count:
            return
        self.progress("taking subnormal numbers for zero")
        found = self.found["bits"]
        other = Gatherer(without_subnormals(case), self.progress, full=self.full, strict=self.strict)
        other._as_written = replace(found, measured={**found.measured, "subnormals_as_zero": count})
        other._gather()
        if decide(other.found.values()).verdict.acceptable:
            self.case, self.found, self.sampled = other.case, other.found, other.sampled

    def _gather(self) -> None:
        case = self.case
        self.progress("running both sides")
        actual, expected = case.native("actual"), case.native("expected")
        self.comparison = compare_leaves(actual.outputs, expected.outputs)
        self.found.add(structure(self.comparison))
        self.found.add(stored(case))
        self.found.add(effects(case))
        self.found.add(vacuous(case, strict=self.strict))
        self.progress("running both sides again")
        repeated = repetition(case)
        if self.found.has("structure", F.DIFFERS):
            self.found.add(repeated_often(case) if agrees(repeated) else repeated)
            return
        self.found.add(specials(self.comparison))
        self.found.add(self._as_written or bits(self.comparison, case))
        if repeated.finding == F.UNWRITTEN_MEMORY:
            self.found.add(repeated)
            return
        special = not self.found.has("specials", F.SAME)
        settled = special or (self.found.has("bits", F.SAME) and not self.full)
        if special and agrees(repeated):
            repeated = repeated_often(case)
        if special and agrees(repeated) and self.found.has("specials", F.DIFFER):
            self.progress("looking for an overflow")
            self.sampled = self._sampled()
            self.found.add(overflow(case, self.sampled) if case.finest is not Precision.NATIVE else None)
            special = not self.found.has("overflow", F.EXPECTED)  # then the numbers of `actual` are judged like any others
            settled = settled and special
        if settled and agrees(repeated):
            self.found.add(repeated)
            self.found.add(overlap(case) if self.found.has("specials", F.DIFFER) else None)
            return
        if agrees(repeated) and self._gather_large(repeated):
            return
        sampled = self.sampled = self.sampled or self._sampled(self._is_enough if repeated.finding == F.SAME and not self.full else None)
        # A side that disagrees with itself has no error of its own that could be called honest.
        noise = widened(sampled, expected) if agrees(repeated) else sampled
        self.found.add(sized(case, repeated, sampled))
        if settled or self.found.has("repetition", F.BEYOND_ROUNDING, F.FAILS):
            return
        self.found.add(self._told_early if sampled.count < SAMPLES and self._told_early else noise_evidence(case, noise, sampled))
        self.found.add(backward_evidence(case, actual, sampled))
        self.found.add(peer_evidence(actual, expected, noise))
        self._conclude(noise, sampled)

    def _conclude(self, noise: Noise, sampled: Noise) -> None:
        """What else is asked once it is known how the error compares with the noise."""
        case = self.case
        asked = Asked(case, noise, sampled, self.found)
        for row in SCHEDULE:
            if case.stored and row.reruns:
                continue
            wanted = row.always if self.full else (row.beyond if asked.beyond else row.within)(asked)
            if wanted and (self.full or not (asked.jumped or asked.is_coarse)):
                self.progress(row.words)
                self.found.add(row.measure(asked))
        # Beyond the bound that is proved for every order, none of them gives such bits.
        may_be_an_order = not self.found.has("backward_error", F.BEYOND)
        if self.full or (may_be_an_order and decide(self.found.values()).verdict in OVERRULED_BY_BITS):
            self.progress("comparing with common orders of summation")
            self.found.add(families(case))
        # What a format reproduces, or goes along with on several inputs, is no chance.
        is_told = self.found.has("precision", F.REPRODUCED, F.CORRELATES) and not self.full
        if not decide(self.found.values()).verdict.acceptable and self.found.has("repetition", F.SAME, F.UNAVAILABLE) and not is_told:
            self.progress("running both sides more times")
            self.found.add(sized(case, repeated_often(case), sampled))

    def _sampled(self, enough: Callable[[Noise], bool] | None = None) -> Noise:
        # Of a stored result patterns are asked for too, by the means of the same samples along their axes.
        return noise_of(self.case, rounds=DATA, profiles=bool(self.case.stored), enough=enough, progress=self._sampling)

    def _is_enough(self, noise: Noise) -> bool:
        """Whether a few samples tell that this is rounding: the error is within the limits of all, and goes away in float64."""
        return self._is_within(self.case, noise) and self._goes_away(self.case, noise)

    def _is_within(self, case: Case, noise: Noise) -> bool:
        if case.finest is Precision.NATIVE or not case.actual.lifts_cheaply or self.found["bits"].measured.get("unequal_integers"):
            return False
        found = self._told_early = noise_evidence(case, noise, noise)
        share = None if found is None else found.measured.get("least_noise_rel_rms")
        return found is not None and found.finding is F.WITHIN and not (isinstance(share, float) and share > limits.ILL_CONDITIONED)

    def _goes_away(self, case: Case, noise: Noise) -> bool:
        leans = gain(case, noise)
        return (leans is None or leans.finding is F.RANDOM) and scaling(case, noise, beyond=False).finding is F.VANISHES

    def _sampling(self, done: int, total: int) -> None:
        self.progress(Stage(f"sampling how far rounding moves the results, {done} of {total}", done, total))

    def _gather_large(self, repeated: Evidence) -> bool:
        """Where an output is large: all of it is judged by the noise in blocks, and what else is asked is asked of some of its rows.

        Args:
            repeated: that both sides gave the same bits again.

        Returns:
            Whether that was done: not where no output is large, or ops can't be sampled one by one.
        """
        if not is_large(self.case):
            return False
        for name in ("actual", "expected"):
            self.case.forget(name, AGAIN)
        narrowed: list[tuple[Mapping[str, Rows], Case]] = []

        def enough(noise: Noise) -> bool:
            if not self._is_within(self.case, noise):
                return False
            rows = rows_of(self.case.native("actual"), noise)
            narrowed[:] = [(rows, self.case.narrowed(rows))]
            return self._goes_away(narrowed[0][1], some_rows(noise, rows))

        sampled = streamed_noise(self.case, rounds=DATA, enough=None if self.full else enough, progress=self._sampling)
        if sampled is None:
            return False
        actual, expected = self.case.native("actual"), self.case.native("expected")
        noise = widened(sampled, expected)
        self.found.add(self._told_early if sampled.count < SAMPLES else noise_evidence(self.case, noise, sampled))
        self.found.add(peer_evidence(actual, expected, noise))
        if sampled.count < SAMPLES:
            rows, case = narrowed[0]
        else:
            rows = rows_of(actual, noise)
            case = self.case.narrowed(rows)
        self.case = case
        sampled = self.sampled = some_rows(sampled, rows)
        noise = some_rows(noise, rows)
        del actual, expected  # the whole outputs
        self.found.add(repeated)
        self.found.add(backward_evidence(case, case.native("actual"), sampled))
        self._conclude(noise, sampled)
        return True
