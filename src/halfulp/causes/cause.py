"""Cause, Experiment, Explanation: why two implementations differ, what was tried, what it rests on."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ..verdicts.result import CheckResult, plain
from ..verdicts.verdict import Verdict

SCHEMA = 1


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
        name: what it is called in the catalogue. kind: "formula", "arithmetic", "memory", "setting", "order" or "compiler".
        statement: what was found, in a sentence.
        share: the share of the difference that goes away with it.
        evidence: what was measured, one sentence each, the experiment first.
        remedy: what to do: a line of code or a setting.
        confidence: "high": the difference goes away with it alone and nothing else explains as much; "medium": something else does too, or
            its size was compared and not its elements; "low": a part of the difference stays unexplained.
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
class Explanation:
    """The answer to "why?": ranked causes, or what was tried in vain.

    Attributes:
        result: the verdict on the difference with its evidence.
        causes: largest share first; empty where nothing that was tried explains it.
        experiments: all that was tried.
        left_in_noise: what the causes together leave, in units of the noise; None without causes.
        stages: of a compiled function: what each stage of compiling does (`StageResult`). nodes: its ops that give other bits than eagerly
            (`NodeResult`).
        sensitivity: which settings change the bits of each side: evidence about the kinds of ops that make the difference.
        complete: False where the time given ran out first. notes: what could not be tried, and why. seconds: how long it took.
    """

    result: CheckResult
    causes: tuple[Cause, ...]
    experiments: tuple[Experiment, ...]
    left_in_noise: float | None = None
    stages: tuple[Any, ...] = ()
    nodes: tuple[Any, ...] = ()
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

    def __str__(self) -> str:
        import halfulp

        return halfulp.report(self)

    def to_json(self) -> str:
        """Everything, as JSON text with a schema number."""
        content: dict[str, Any] = {"schema": SCHEMA, "explained": self.explained}
        content |= {each.name: getattr(self, each.name) for each in dataclasses.fields(self) if each.name != "result"}
        for name in ("causes", "experiments", "stages", "nodes"):
            content[name] = [
                {key: value.name if isinstance(value, Verdict) else value for key, value in dataclasses.asdict(each).items()}
                for each in content[name]
            ]
        content["result"] = json.loads(self.result.to_json())
        return json.dumps(plain(content), indent=1, allow_nan=False)
