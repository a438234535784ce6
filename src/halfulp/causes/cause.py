"""Cause, Experiment, Explanation: why two implementations differ, what was tried, what it rests on, all as data."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ..documents import document, text_of
from ..origins.place import Place
from ..shown import shown
from ..verdicts.result import CheckResult
from ..verdicts.verdict import Verdict


@dataclass(frozen=True)
class Experiment:
    """One thing that was changed, and what became of the difference.

    Attributes:
        name: the cause that it tests. detail: what was changed. side: "actual" or "expected". place: the call, "" for the whole function.
        share: the share of the difference that is gone (1: all; negative: it grew); None where it did not run. touched: how many elements
            of the changed side have other bits than before. touches: kinds of ops that the change is known to touch.
        in_noise: what is left, in units of the noise (rms). note: why it did not run, or what else is known.
    """

    name: str
    detail: str
    side: str
    place: str = ""
    share: float | None = None
    touched: int | None = None
    in_noise: float | None = None
    touches: tuple[str, ...] = ()
    note: str = ""


@dataclass(frozen=True)
class Cause:
    """One reason why two implementations differ, with the experiment that supports it.

    Attributes:
        name: what it is called in the catalog. kind: "formula", "arithmetic", "memory", "setting", "order" or "compiler".
        statement: what was found, in a sentence.
        share: the share of the difference that goes away with it.
        evidence: what was measured, one sentence each, the experiment first.
        remedy: what to do: a line of code or a setting.
        confidence: "high": the difference goes away with it, on other inputs and with another seed too, it lies where the difference begins,
            and nothing else explains as much. "medium": one of these fails or can't be asked, the result is a single number, or its size was
            compared and not its elements. "low": a part of the difference stays unexplained, or a constant was fitted that nobody would
            write. How often each is right is printed by `python -m benchmarks.explain`.
        side: whose computation was changed to find it. place: the call, "" for the whole function.
        reports: user reports with the same cause.
        source: generated code, where a compiler made it.
    """

    name: str
    kind: str
    statement: str
    share: float
    evidence: tuple[str, ...]
    remedy: str
    confidence: str
    side: str = ""
    place: str = ""
    reports: tuple[str, ...] = ()
    source: str = ""


@dataclass(frozen=True)
class StageResult:
    """What a stage gave.

    Attributes:
        name, what: of the stage. verdict: on its difference from the eager function. unequal, count: elements with other bits.
        in_noise: rms difference in units of the noise. error_in_noise, eager_error_in_noise: rms error of the stage and of eager against the
            float64 reference, in the same unit; None without a reference. seconds: compiling and running it. note: why it did not run.
    """

    name: str
    what: str
    verdict: Verdict | None
    unequal: int = 0
    count: int = 0
    in_noise: float | None = None
    error_in_noise: float | None = None
    eager_error_in_noise: float | None = None
    seconds: float = 0.0
    note: str = ""


@dataclass(frozen=True)
class NodeResult:
    """What one op of a graph does in the generated program.

    Attributes:
        name, op: of the node. source: the line of the user's code. unequal, count: elements whose bits are not those that the eager op
            gives for the same inputs. in_noise: their rms difference over what rounding does to this op. beyond: whether that is more than
            rounding. kernel: the generated function that computes it. code: its source. alone: the same op compiled by itself: elements
            with other bits; None where that wasn't tried. lowering, generator: "file.py:12" of what makes loops of the op, and code of
            these, where it is not PyTorch's own.
    """

    name: str
    op: str
    source: str
    unequal: int
    count: int
    in_noise: float
    beyond: bool
    kernel: str = ""
    code: str = ""
    alone: int | None = None
    lowering: str = ""
    generator: str = ""


@shown
@dataclass(frozen=True)
class Explanation:
    """The answer to "why?": ranked causes, or what was tried in vain.

    Attributes:
        result: the verdict on the difference with its evidence.
        causes: largest share first; empty where nothing that was tried explains it.
        experiments: all that was tried.
        left_in_noise: what the causes together leave, in units of the noise; None without causes.
        place: where the difference begins and what each side does there; None where it is rounding, or the walk can't tell.
        stages: of a compiled function: what each stage of compiling does (`StageResult`). nodes: its ops that give other bits than eagerly
            (`NodeResult`).
        sensitivity: which settings change the bits of each side: evidence about the kinds of ops that make the difference.
        complete: False where the time given ran out first. notes: what could not be tried, and why. seconds: how long it took.
    """

    result: CheckResult
    causes: tuple[Cause, ...]
    experiments: tuple[Experiment, ...]
    left_in_noise: float | None = None
    place: Place | None = None
    stages: tuple[StageResult, ...] = ()
    nodes: tuple[NodeResult, ...] = ()
    sensitivity: tuple[str, ...] = ()
    complete: bool = True
    notes: tuple[str, ...] = ()
    seconds: float = 0.0

    @property
    def verdict(self) -> Verdict:
        """The verdict on the difference."""
        return self.result.verdict

    @property
    def explained(self) -> bool:
        """Whether a cause was found."""
        return bool(self.causes)

    @property
    def exit_code(self) -> int:
        """What the command line exits with: that of the verdict."""
        return self.result.exit_code

    def __iter__(self) -> Iterator[Cause]:
        return iter(self.causes)

    def __len__(self) -> int:
        return len(self.causes)

    def __getitem__(self, place: int) -> Cause:
        return self.causes[place]

    def __bool__(self) -> bool:
        return True

    def to_json(self) -> str:
        """Everything, as JSON text with a schema number."""
        return text_of(document("explanation", self, explained=self.explained, acceptable=self.result.acceptable))
