"""Answers: asks a solution one question at a time, and says what each answer decides: nothing, a note, or everything."""

from __future__ import annotations

import contextlib
import math
from dataclasses import replace
from typing import Any

from ..verdicts.verdict import Verdict
from .basis import Basis
from .budget import Budget
from .problems.calls import leaves
from .problems.problem import count_of
from .questions.question import Question, decides_nothing, loses_little
from .record import Record
from .result import Asked, KernelResult
from .solutions import cheats
from .solutions.place import CUDA, INTERPRETER
from .solutions.sandbox import Failed
from .trials.sides import How
from .trials.trial import Outcome, Trials
from .trials.undefined import why_undefined

SLOW = ("hangs", "runs out of memory")
"""How a slow solution fails on a question that is far larger than the problem: such a failure says nothing about its numbers."""
LONGER = 8
"""A question with more than this many times the given numbers counts as far larger; gradients are not asked there either."""
POISONED = ("sizes", "values")
"""In calls for these kinds of questions, memory that nobody wrote holds NaN: what it happens to hold in a tail or an empty row may be right
by chance."""
OF_GIVEN_SIZES = ("given", "seed", "values")
"""In these kinds of questions, tensors are as long as the problem's. (Making a tensor contiguous copies nothing where an axis has length
1.)"""


class Decided(Exception):
    """Raised as soon as the answer about the solution is known."""

    def __init__(self, result: KernelResult) -> None:
        self.result = result


class Answers:
    """Asks one solution.

    Args:
        trials: asks both sides. budget: of the judgement. record: to which each answer is added.
        own: the basis of the problem itself.

    Attributes:
        basis: that from which questions start now: of a slow solution, one with smaller sizes.
    """

    def __init__(self, trials: Trials, budget: Budget, record: Record, own: Basis) -> None:
        self.trials, self.budget, self.record, self.own = trials, budget, record, own
        self.basis = own
        self._place = trials.sandbox.place

    def ask(self, question: Question, *, patiently: bool = False) -> None:
        """Ask one question.

        Args:
            patiently: it may take all the time that is left.

        Raises:
            Decided: it is answered wrong.
        """
        how = How(
            gradients=question.gradients, longest_s=self.budget.pass_s, within_s=math.inf if patiently else self.budget.within_s(question),
            exact=question.exact, times=question.times, apart=question.apart, buffers_only=question.buffers,
            poisoned=question.kind in POISONED, usual=self.basis.given if question.gradients else None,
        )  # fmt: skip
        outcome = self.trials.ask(question.setting, how)
        can_be_otherwise = question.otherwise is not None and not outcome.slow
        if can_be_otherwise and (outcome.answer == "no answer" or self._why_undefined(question, outcome)):
            question = replace(question, setting=question.otherwise, otherwise=None)
            outcome = self.trials.ask(question.setting, how)
        if how.poisoned and outcome.answer == "wrong" and outcome.is_special and not question.exotic:
            plain = self.trials.ask(question.setting, replace(how, poisoned=False))
            self.cheat(cheats.UNWRITTEN if plain.answer == "right" else "", f"{question.kind}: {question.label}")
            outcome = plain
        self.take(question, outcome)

    def take(self, question: Question, outcome: Outcome, *, must: bool = False) -> None:
        """Note an answer; a wrong one ends the questions.

        Args:
            must: whether the problem itself asks it, so that a solution may not refuse it and has no excuse.

        Raises:
            Decided: it is wrong.
        """
        answer, outcome = self._answer(question, outcome, must=must)
        self._look_at(question, outcome)
        self.record.asked.append(Asked(question.kind, question.label, answer, outcome.note[:400] if answer != "right" else ""))
        if answer != "wrong":
            return
        if self._decides_nothing(question, outcome):
            self.record.notes.append(f"The two differ on {question.label}, which decides nothing: correct kernels may differ there.")
            return
        if outcome.failure is not None:
            raise Decided(self.failed(question.kind, question.label, outcome.failure))
        verdict = outcome.check.verdict if outcome.check is not None else Verdict.MISTAKE
        note = outcome.note
        # In float64 they lie in memory as they were made, so that only the formula is compared.
        if question.kind == "layout" and verdict in (Verdict.UNSTABLE, Verdict.MISTAKE) and outcome.failure is None:
            verdict = Verdict.MISTAKE
            said = "The numbers are the given ones and only lie differently in memory: the solution ignores their strides or offset."
            note = f"{said} {note}"
        is_first = question.setting is self.own.given
        where = "" if is_first else f'It is wrong on the question "{question.kind}: {question.label}". '
        raise Decided(self.record.result(verdict, f"{where}{note}", kind=question.kind, label=question.label, check=outcome.check))

    def decides(self, question: Question, outcome: Outcome) -> bool:
        """Whether an outcome is wrong, and no excuse of correct kernels fits it."""
        answer, outcome = self._answer(question, outcome, must=False)
        return answer == "wrong" and not self._decides_nothing(question, outcome)

    def cheat(self, cheat: str, label: str) -> None:
        """End the questions if there is a cheat.

        Raises:
            Decided: there is one.
        """
        if cheat:
            raise Decided(self.record.cheat(cheat, label))

    def failed(self, kind: str, label: str, failure: Failed) -> KernelResult:
        """The result for a solution that fails there."""
        cheat = cheats.seen_by_process({"attempts": failure.attempts}, {})
        return self.record.cheat(cheat, label) if cheat else self.record.failed(kind, label, failure, self._place)

    def _answer(self, question: Question, outcome: Outcome, *, must: bool) -> tuple[str, Outcome]:
        """What an outcome means, once excuses are taken into account."""
        answer = "wrong" if (must or question.promised) and outcome.answer == "refused" else outcome.answer
        if must:
            return answer, outcome
        is_far = question.far or count_of(question.setting) > LONGER * self.budget.numbers
        if outcome.failure is not None and outcome.failure.kind in SLOW and (is_far or self._place == INTERPRETER):
            return "refused", outcome
        is_unstable = outcome.check is not None and outcome.check.verdict is Verdict.UNSTABLE
        if answer == "wrong" and (loses_little(question, outcome.check) or (question.blunt and is_unstable)):
            return "right", outcome
        why = self._why_undefined(question, outcome) if answer == "wrong" else ""
        return ("no answer", replace(outcome, note=why)) if why else (answer, outcome)

    def _why_undefined(self, question: Question, outcome: Outcome) -> str:
        """Why the reference is no guide on a question that was answered wrong; "" if it is one."""
        if outcome.answer != "wrong":
            return ""
        evidence = outcome.check.because[:1] if outcome.check is not None else ()
        how: dict[str, Any] = {"special": outcome.is_special, "shaped": "structure" in evidence, "gradients": question.gradients}
        tensors = leaves(question.setting.arguments)
        how["poles"] = self.basis.stated.poles
        how["untied"] = not all(tie.holds(tensors) for tie in self.basis.promises.ties)
        return why_undefined(self.trials.reference, question.setting, question.start or self.basis.given, **how)

    def _look_at(self, question: Question, outcome: Outcome) -> None:
        """Look at what the process of the solution saw during the call.

        Raises:
            Decided: it was a cheat.
        """
        seen = (*cheats.SEEN_IN_CALLS, *(cheats.SEEN_AT_GIVEN_SIZES if self._is_of_given_sizes(question) else ()))
        if question.gradients or not any(outcome.facts.get(name) for name in seen):
            return
        # Where the reference refuses, what is written is no cheat.
        facts: dict[str, Any] = {name: outcome.facts.get(name) for name in ("written", "aliased", "kept")}
        with contextlib.suppress(Exception):
            facts = cheats.reference_facts(self.trials.reference(question.setting.init), question.setting)
        self.cheat(cheats.seen_by_process({name: outcome.facts.get(name) for name in seen}, facts), question.label)

    def _is_of_given_sizes(self, question: Question) -> bool:
        """Whether tensors are as long as the problem's. Questions about values are also asked at other sizes."""
        shapes = ([tensor.shape for tensor in leaves(setting.arguments)] for setting in (question.setting, self.own.given))
        return question.kind in OF_GIVEN_SIZES and next(shapes) == next(shapes)

    def _decides_nothing(self, question: Question, outcome: Outcome) -> bool:
        """Whether correct kernels, too, may differ in this way."""
        if question.exotic:
            return True
        if outcome.check is None:  # which of equal numbers is chosen was not looked at
            return (question.tied or (question.singular and outcome.is_special)) and outcome.failure is None
        because = outcome.check.because[:1]
        mute = decides_nothing(question, contracted=self._place == CUDA)
        return because in mute or (question.finite and not outcome.is_special)
