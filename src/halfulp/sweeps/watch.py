"""Watch: the verdicts of many cases beside those of a baseline, and whether one got worse, as data."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..documents import document, text_of
from ..process.versions import versions
from ..shown import shown
from ..verdicts.verdict import Verdict

BADNESS = {
    Verdict.IDENTICAL: 0, Verdict.ROUNDING: 0, Verdict.FLIP: 0, Verdict.UNDECIDED: 1, Verdict.REDUCED_PRECISION: 2, Verdict.UNSTABLE: 2,
    Verdict.NONDETERMINISTIC: 2, Verdict.MISTAKE: 3,
}  # fmt: skip
"""A verdict is worse than another where this is larger. What is acceptable is not worse than what is: bits may change with a version."""


@dataclass(frozen=True)
class Watched:
    """One case.

    Attributes:
        name: of its file, without ending. file: its path as it was given. line: where `actual` is defined; 1 where that is not known.
        verdict: None where the case did not run. reason: in a sentence, or why it did not run. report: the whole text.
        before: the verdict in the baseline; None where it has none. accepted: whether the baseline takes this one from now on.
        seconds: how long it took.
    """

    name: str
    file: str
    line: int
    verdict: Verdict | None
    reason: str
    report: str = ""
    before: Verdict | None = None
    seconds: float = 0.0
    accepted: bool = False

    @property
    def change(self) -> str:
        """What became of it: "new", "unchanged", "better", "worse", "changed" (neither better nor worse) or "failed"."""
        if self.verdict is None:
            return "failed"
        if self.before is None:
            return "new"
        if self.verdict is self.before:
            return "unchanged"
        here, there = BADNESS[self.verdict], BADNESS[self.before]
        return "worse" if here > there else "better" if here < there else "changed"

    @property
    def exit_code(self) -> int:
        """0 where nothing got worse or the verdict is accepted; without a baseline that of the verdict; 1 where the case did not run."""
        if self.verdict is None:
            return 1
        if self.accepted:
            return 0
        if self.before is None:
            return self.verdict.exit_code
        return (self.verdict.exit_code or 1) if self.change == "worse" else 0


@shown
@dataclass(frozen=True)
class Watch:
    """All cases of a run.

    Attributes:
        cases: in order. missing: names that the baseline has and this run has not. complete: False when it was interrupted.
        has_baseline: whether there was one.
        versions: of Python and the packages that were used, the system and the processor.
    """

    cases: tuple[Watched, ...]
    missing: tuple[str, ...] = ()
    complete: bool = True
    has_baseline: bool = False
    versions: dict[str, str] = field(default_factory=versions)

    @property
    def exit_code(self) -> int:
        """1 where a case fails; 3 where one is newly undecided and none fails; 130 when interrupted; else 0."""
        codes = {case.exit_code for case in self.cases}
        return 130 if not self.complete else 1 if 1 in codes else 3 if 3 in codes else 0

    def baseline(self, before: Baseline | None = None) -> Baseline:
        """What is to be compared with from now on: cases that were not run, or did not run, keep the verdict of the baseline before."""
        verdicts = {case.name: case.verdict or case.before for case in self.cases}
        kept = dict(before.verdicts) if before is not None else {}
        kept |= {name: verdict for name, verdict in verdicts.items() if verdict is not None}
        return Baseline(dict(sorted(kept.items())))

    def to_json(self) -> str:
        """All of it, as JSON text with a schema number."""
        return text_of(document("watch", self, changes={case.name: case.change for case in self.cases}))


@shown
@dataclass(frozen=True)
class Baseline:
    """Verdicts that are known and accepted for now; a file for the repository, one line a case.

    Attributes:
        verdicts: name of the case -> its verdict.
    """

    verdicts: dict[str, Verdict] = field(default_factory=dict)

    def to_json(self) -> str:
        """JSON text with a schema number."""
        return text_of(document("baseline", self))
