"""First calls: the inputs of the problem, what the process sees during them, and the sizes from which the other questions start."""

from __future__ import annotations

import contextlib
import functools
import math
import time
from collections.abc import Mapping
from dataclasses import replace

from ..verdicts.verdict import Verdict
from .answers import SLOW, Answers, Decided
from .basis import SEEDS, Basis, drawn
from .budget import FIRST_CALLS
from .problems.calls import Setting
from .problems.problem import Problem
from .questions.question import Question, size_in_words
from .solutions import cheats
from .solutions.place import INTERPRETER
from .solutions.sandbox import Failed
from .trials.sides import How
from .trials.trial import AFTER_SUMS, OFTEN, TWICE

LABEL = "the inputs of the problem"
NOT_UPDATED = "It doesn't update inputs that the problem asks to be updated in place: code that reads them next finds the old numbers."
SLOWER = "Triton's interpreter takes thousands of times as long as a GPU does."
FEW_CALLS = 6
"""A first call that takes one part in so many of the budget leaves time for a second one, and for what has to be asked."""
SMALL = 8
"""No axis becomes shorter when sizes are reduced, and shorter ones stay as they are: they may be widths of filters or numbers of groups."""


class FirstCalls:
    """The first calls of one solution.

    Args:
        answers: which ask it. seed: where random numbers start.
    """

    def __init__(self, answers: Answers, seed: int) -> None:
        self.answers, self.seed = answers, seed
        self.trials, self.budget, self.record = answers.trials, answers.budget, answers.record
        self._sandbox = answers.trials.sandbox
        self._falls_back = False

    def make(self) -> None:
        """Make the calls. Afterwards, `answers.basis` is the setting from which all other questions start.

        Raises:
            Decided: an answer is wrong.
        """
        given = self.answers.own.given
        try:
            self.budget.call_s = self._timed(given)
            if self.budget.call_s <= self._first_s:
                self.budget.call_s = min(self.budget.call_s, self._timed(given))
        except Failed as failure:
            if failure.kind == "hangs" and self._sandbox.place == INTERPRETER:
                self._smaller_alone(failure)
                return
            if failure.kind in SLOW:
                raise Decided(self.answers.failed("given", LABEL, failure)) from None
        self._sandbox.answer_s = max(self._sandbox.answer_s, 2 * self.budget.call_s)
        stated = self.answers.own.stated
        rounded = TWICE if stated.once else AFTER_SUMS if stated.float32 else math.inf
        if self.budget.call_s > self.budget.seconds / FIRST_CALLS:
            self._ask_given(How(longest_s=OFTEN * self.budget.call_s / 2, rounded=rounded))  # by one run
            self._shrink()
            self._look_for_cheats(self.answers.basis)
        else:
            # A cheat would contradict itself in what the judgement asks: it is looked for first.
            self._look_for_cheats(self.answers.own)
            self._ask_given(How(whole=True, rounded=rounded))
            self._shrink()
        self.answers.cheat(cheats.CALLS_REFERENCE if self.record.is_identical and self._falls_back else "", LABEL)
        for label, test in self.answers.own.problem.tests:
            if self.budget.is_over:
                self.record.is_complete = False
                break
            self.answers.take(Question("given", label, test), self.trials.ask(test), must=True)

    @property
    def _first_s(self) -> float:
        """Up to how many seconds the first call may take for a second one to be timed too.

        Numba and compilers take seconds for the first call alone; in Triton's interpreter a long one is long again.
        """
        return self.budget.pass_s * SMALL if self._sandbox.place == INTERPRETER else self.budget.seconds / FEW_CALLS

    def _smaller_alone(self, failure: Failed) -> None:
        """Start from smaller sizes, where the given ones take too long in Triton's interpreter.

        Raises:
            Decided: they are wrong, or take too long as well.
        """
        self.budget.call_s, self.record.check = self.budget.seconds, None
        said = f"On the inputs of the problem it {failure.words.rstrip('.')}. {SLOWER}"
        self.record.notes.append(f"{said} It was judged only at smaller sizes.")
        self._shrink()
        if self.answers.basis is self.answers.own:
            self.record.notes.pop()
            because = f"{said} Nothing was judged; it may never end."
            raise Decided(self.record.result(Verdict.UNDECIDED, because, fault=failure.kind, kind="given", label=LABEL))
        self._look_for_cheats(self.answers.basis)

    def _ask_given(self, how: How) -> None:
        given = self.answers.own.given
        outcome = self.trials.ask(given, how)
        self.answers.take(Question("given", LABEL, given), outcome, must=True)
        self.record.check = outcome.check

    def _shrink(self) -> None:
        """Start from smaller sizes, where the solution is slow.

        Raises:
            Decided: the solution is wrong there.
        """
        too_slow = self.budget.call_s / self.budget.pass_s
        for parts in (2, 4, 8) if too_slow < SMALL else (8, 4, 2):
            if self.budget.call_s <= self.budget.pass_s or self.budget.is_over:
                break
            if self._shrink_to(self.answers.own.problem, parts) and too_slow >= SMALL:
                break

    def _shrink_to(self, problem: Problem, parts: int) -> bool:
        """Divide the sizes by this factor; leave them where the smaller ones can't be answered, as where they no longer fit together.

        Returns:
            Whether the questions start from there.
        """
        sizes = {name: max(SMALL, value // parts) if value > SMALL else value for name, value in problem.sizes.items()}
        changes = {name: size for name, size in sizes.items() if size != problem.sizes[name] and "#" not in name}
        if not changes:
            return False
        smaller = replace(problem, sizes=sizes, draw=functools.partial(_drawn_with, problem, changes))
        try:
            basis = Basis.of(smaller, drawn(smaller, self.seed), self.trials.reference)
        except Exception:  # whatever a problem says of sizes that don't fit together
            return False
        if not self.answers.basis.stated.allows(basis.given, changes):
            return False
        longest_s = max(self.budget.pass_s, OFTEN * self.budget.call_s / SMALL)
        outcome, taken_s = self.trials.ask(basis.given, How(longest_s=longest_s)), 0.0
        with contextlib.suppress(Failed):
            taken_s = self._timed(basis.given)
        label = f"smaller: {', '.join(f'{size_in_words(name)} {size}' for name, size in changes.items())}"
        self.answers.take(Question("sizes", label, basis.given), outcome)
        if outcome.answer != "right":
            return False
        self.budget.call_s, self.answers.basis = taken_s, basis
        return True

    def _timed(self, setting: Setting) -> float:
        """How many seconds a call takes."""
        start = time.monotonic()
        self.trials.call(setting)
        return time.monotonic() - start

    def _look_for_cheats(self, basis: Basis) -> None:
        """Look at what the process sees during a call, and at what the results depend on.

        Raises:
            Decided: there is a cheat, or the solution ends without a result.
        """
        try:
            self._seen(basis)
        except Failed as failure:
            if failure.kind != "raises":
                raise Decided(self.answers.failed("given", LABEL, failure)) from None

    def _seen(self, basis: Basis) -> None:
        cheat, given = self.answers.cheat, basis.given
        facts = cheats.reference_facts(self.trials.reference(given.init), given)
        found = self.trials.call(given, settled=cheats.SETTLED_S, watched=True).facts
        cheat(cheats.seen_by_process(found, facts), LABEL)
        if basis.stated.in_place and set(facts["written"]) - set(found.get("written", ())):
            raise Decided(self.record.result(Verdict.MISTAKE, NOT_UPDATED, kind="given", label=LABEL))
        cheat(cheats.CALLS_REFERENCE if cheats.calls_reference(found, facts) else "", LABEL)
        self._falls_back = cheats.falls_back(found, facts)
        if alike := sorted(set(found.get("whole", ())) & set(facts["whole"])):
            called = f"It calls {', '.join(alike)} from PyTorch, as the reference does"
            self.record.notes.append(f"{called}: that part of the computation is not its own.")
        two = (given, basis.other_draw(self.seed + SEEDS[1]))
        cheat(cheats.depends(self.trials.call, two, self.trials.expected), "two draws of the inputs")
        cheat(cheats.seen_by_process(self.trials.call(given).facts, facts), LABEL)
        cheat(cheats.UNWRITTEN if cheats.reads_unwritten(self.trials.call, given) else "", LABEL)


def _drawn_with(problem: Problem, sizes: Mapping[str, int], seed: int, changes: Mapping[str, int]) -> Setting:
    """Draw inputs of a problem with some of its sizes changed."""
    return problem.draw(seed, {**sizes, **changes})
