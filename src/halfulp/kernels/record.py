"""Record: what a solution was asked, what was noted, and the result that follows."""

from __future__ import annotations

from typing import Any

from ..verdicts.result import CheckResult
from ..verdicts.verdict import Verdict
from ..words.numbers import counted
from .problems.problem import Problem
from .problems.stand_in import lacks_a_device
from .result import Asked, KernelResult
from .solutions.place import INTERPRETER, STAND_IN
from .solutions.sandbox import NOT_STARTED, Failed
from .trials.yardstick import in_words

ACTIONS = {"loading it": "It can't be loaded", "making it": "It can't be constructed"}
"""What failed before there was a call."""
LEAST = {"seed": "other draws of the inputs", "values": "other values", "sizes": "other sizes"}
"""A solution is not called right before it has answered a question of each of these kinds. One that sleeps would be asked none."""


class Record:
    """One judgement in progress.

    Args:
        solution: its name. declared: the precision that it may use, None for that of the data.

    Attributes:
        asked: every question with its answer. notes: what was not asked, and why. promised: what questions keep to.
        is_complete: whether the time was enough. check: the judgement of the given inputs, where one was made.
    """

    def __init__(self, problem: Problem, solution: str, declared: str | None) -> None:
        self._problem, self._solution, self._declared = problem, solution, declared
        self.asked: list[Asked] = []
        self.notes: list[str] = []
        self.promised: tuple[str, ...] = ()
        self.is_complete = True
        self.check: CheckResult | None = None

    @property
    def is_identical(self) -> bool:
        """Whether both sides gave the same bits on the given inputs."""
        return self.check is not None and self.check.verdict is Verdict.IDENTICAL

    def result(self, verdict: Verdict, because: str, **more: Any) -> KernelResult:
        """The result, with everything recorded so far.

        Args:
            more: other attributes of it.
        """
        check = more.pop("check", self.check if verdict.acceptable else None)
        declared = check.declared if check is not None else self._declared or ""
        return KernelResult(
            verdict, because, asked=tuple(self.asked), promises=self.promised, notes=tuple(self.notes), problem=self._problem.name,
            solution=self._solution, format=self._problem.format, declared=declared, check=check, complete=self.is_complete, **more,
        )  # fmt: skip

    def right(self, coarser: dict[str, float]) -> KernelResult:
        """The result if nothing is wrong; undecided if nothing could be asked on the given inputs.

        Args:
            coarser: see `yardsticks`.
        """
        first = self.asked[0]
        if first.answer != "right":
            return self.result(Verdict.UNDECIDED, f"The solution could not be judged on the inputs of the problem: {first.note}")
        right = sum(entry.answer == "right" for entry in self.asked)
        if open_kinds := self._open_kinds():
            said = f"No mistake was found in {counted(right, 'question')}, but there was no time to ask about {' or '.join(open_kinds)}"
            slow = "because the solution or the reference is slow. Give it more time with --budget (budget_s in Python)."
            return self.result(Verdict.UNDECIDED, f"{said}, {slow}")
        reason = f" {self.check.reason}" if self.check is not None else ""
        where = "the one question that has" if right == 1 else f"all {right} questions that have"
        because = f"It is right on {where} an answer.{reason} {in_words(coarser)}".rstrip()
        return self.result(Verdict.IDENTICAL if self.is_identical else Verdict.ROUNDING, because, coarser=coarser)

    def _open_kinds(self) -> list[str]:
        """The kinds in `LEAST` that there was no time to ask about, in words."""
        if self.is_complete:
            return []
        known = {entry.kind for entry in self.asked if entry.answer == "right"}
        return [words for kind, words in LEAST.items() if kind not in known and (kind != "sizes" or self._problem.sizes)]

    def cheat(self, cheat: str, label: str) -> KernelResult:
        """The result for a cheat, seen on that question."""
        return self.result(Verdict.MISTAKE, f"This is a cheat: {cheat}.", cheat=cheat, label=label)

    def failed(self, kind: str, label: str, failure: Failed, place: str) -> KernelResult:
        """The result for a question on which the solution failed.

        Args:
            place: where the solution runs.
        """
        if place in (STAND_IN, INTERPRETER) and lacks_a_device(failure.words):
            because = f"The solution needs a CUDA device, or a package for one, which is not here: it raises {failure.words.rstrip('.')}."
            return self.result(Verdict.UNDECIDED, because, fault=failure.kind, kind=kind, label=label)
        if failure.kind == NOT_STARTED:
            because = f"The process that would run the solution can't be started here: it {failure.words.rstrip('.')}. Nothing was judged."
            return self.result(Verdict.UNDECIDED, because, kind=kind, label=label)
        words = f"it raises {failure.words}" if failure.kind in ("raises", "runs out of memory") else f"it {failure.words}."
        because = f"{ACTIONS.get(label, f'It gives no result on {label}')}: {words}"
        return self.result(Verdict.MISTAKE, because, fault=failure.kind, kind=kind, label=label)
