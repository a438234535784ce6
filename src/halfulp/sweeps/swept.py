"""Swept: what a sweep found, as data: verdicts by subject, findings, faults, and the runs before."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ..documents import document, text_of
from ..process.versions import versions
from ..shown import shown


@dataclass(frozen=True)
class Subject:
    """How one subject does.

    Attributes:
        subject: what is under test. actual, expected: what the two sides are called. dtype: of the inputs.
        environment: the name of the variables that it ran with. cases: how many. flagged: not acceptable. undecided, faults: without a verdict
            that says something.
        worst_verdict: the worst of its cases. worst_excess: the largest error in units of the limit of a correct implementation. seconds: of
            all its cases.
    """

    subject: str
    actual: str
    expected: str
    dtype: str
    environment: str
    cases: int
    flagged: int
    undecided: int
    faults: int
    worst_verdict: str
    worst_excess: float | None
    seconds: float


@dataclass(frozen=True)
class FoundProblem:
    """Flagged cases that are taken for one: of the same subject, sides and verdict, decided by the same evidence.

    Attributes:
        subject, actual, expected, dtype, environment, verdict: of all of them. cases: how many. checked_again: how many of them were checked
            with another seed. repeated: how many of these have the same verdict with it.
        setting, shape, reason, excess: of the case with the largest error, which stands for them.
        cause, explanation: what explains the difference, by name and in a sentence; "" where nothing does. origin: the call where it begins.
        smallest: the smallest inputs that were found to keep the verdict. script: a program that shows it.
    """

    subject: str
    actual: str
    expected: str
    dtype: str
    environment: str
    verdict: str
    cases: int
    checked_again: int
    repeated: int
    setting: str
    shape: str
    reason: str
    excess: float | None
    cause: str = ""
    explanation: str = ""
    origin: str = ""
    smallest: str = ""
    script: str = ""


@dataclass(frozen=True)
class CaseRow:
    """One case in short.

    Attributes:
        subject: what is under test. actual, expected: what the two sides are called. dtype, shape: of the inputs.
        environment: the name of the variables that it ran with. setting: what else tells the case apart.
        verdict: "" where there is none. excess: the error in units of the limit of a correct implementation. largest_ulps: the largest
            difference in ulps. seconds: how long it took. reason: the verdict's. fault: why there is none.
    """

    subject: str
    actual: str
    expected: str
    dtype: str
    environment: str
    setting: str
    shape: str
    verdict: str
    excess: float | None
    largest_ulps: float | None
    seconds: float
    reason: str
    fault: str


@dataclass(frozen=True)
class PastRun:
    """One run of a plan.

    Attributes:
        run: its name. versions: of halfulp, PyTorch and what is under test, in words. cases, flagged, faults: how many.
        new, gone: cases that are flagged and were not in the run before, and the other way round; 0 of the first run.
        missing: cases of the run before that this one does not have. Runs that did not end come after those that did.
    """

    run: str
    versions: str
    cases: int
    flagged: int
    faults: int
    new: int
    gone: int
    missing: int = 0


@shown
@dataclass(frozen=True)
class Swept:
    """What a sweep found.

    Attributes:
        plan, run: names. store: the folder that the results are in.
        verdicts: verdict -> how many cases; "" for those without one. subjects: how each does, the worst first.
        findings: what is not acceptable, the worst first. worst: the 2,000 worst cases. faults: why cases have no verdict -> how many. runs: all runs of the plan, the
            latest first.
        seconds: how long the run took, without parts that were killed. complete: False when it was interrupted.
        versions: of Python and the packages that were used, the system and the processor.
    """

    plan: str
    run: str
    store: str
    verdicts: Mapping[str, int]
    subjects: tuple[Subject, ...]
    findings: tuple[FoundProblem, ...]
    worst: tuple[CaseRow, ...] = ()
    faults: Mapping[str, int] = field(default_factory=dict)
    runs: tuple[PastRun, ...] = ()
    seconds: float = 0.0
    complete: bool = True
    versions: dict[str, str] = field(default_factory=versions)

    @property
    def cases(self) -> int:
        """How many cases there are."""
        return sum(self.verdicts.values())

    @property
    def acceptable(self) -> bool | None:
        """Whether every verdict is acceptable; None where none is worse than undecided, and some are, or have no verdict."""
        if self.findings:
            return False
        return None if self.verdicts.get("UNDECIDED") or self.verdicts.get("") else True

    @property
    def exit_code(self) -> int:
        """0 where all are acceptable, 1 where one is not, 3 where it is undecided or has no verdict."""
        return {True: 0, False: 1, None: 3}[self.acceptable]

    def to_json(self) -> str:
        """All of it, as JSON text with a schema number."""
        return text_of(document("sweep", self, acceptable=self.acceptable))
