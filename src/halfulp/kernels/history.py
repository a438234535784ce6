"""History: what a solution keeps from one call to the next, and how calls before or beside it disturb it."""

from __future__ import annotations

from dataclasses import replace

from ..verdicts.verdict import Verdict
from .answers import Answers, Decided
from .problems.calls import Setting
from .questions.parameters import moved
from .questions.question import Question
from .questions.sequences import sequences
from .result import Asked
from .solutions.place import CUDA
from .solutions.sandbox import Failed
from .trials import succession
from .trials.sides import How
from .trials.training import DRAWS, drawn_otherwise


class History:
    """Asks questions about sequences of calls.

    Args:
        answers: which ask the solution. others: two more draws. tables: buffers that are no inputs, see `tables_of`.
        remembered: the parameters and buffers that the reference changes in a call. seed: where random numbers start.
    """

    def __init__(self, answers: Answers, others: list[Setting], *, tables: frozenset[str], remembered: set[str], seed: int) -> None:
        self.answers, self.others, self.tables, self.remembered, self.seed = answers, others, tables, remembered, seed
        self.trials, self.record, self.basis = answers.trials, answers.record, answers.basis

    def ask_disturbed(self) -> None:
        """Make calls that another call may disturb, see `sequences`.

        Raises:
            Decided: an answer is wrong.
        """
        given, stated = self.basis.given, self.basis.stated
        state = moved(given.state, self.seed, self.tables) if self.trials.names is not None else None
        state = stated.allowed(given, state, {}) if state is not None else None
        on_device = self.trials.sandbox.place == CUDA
        for sequence in sequences(given, self.others, self.basis.promises, state, on_device=on_device):
            outcome = self.trials.ask(sequence.setting, sequence.how)
            if sequence.alone and outcome.answer == "wrong":
                plain = self.trials.ask(sequence.setting)
                question = Question(*sequence.alone, sequence.setting)
                is_unstable = plain.check is not None and plain.check.verdict is Verdict.UNSTABLE  # memory that was freed is used again
                if plain.answer == "wrong" and not (is_unstable and self.answers.decides(question, plain)):
                    self.answers.take(question, plain)  # it is wrong wherever they lie, or nowhere
                    continue
            if sequence.verdict is not None and outcome.answer == "wrong" and outcome.failure is None:
                because = f"{sequence.words} {outcome.note}"
                raise Decided(self.record.result(sequence.verdict, because, kind="sequence", label=sequence.label, check=outcome.check))
            self.answers.take(Question("sequence", sequence.label, sequence.setting, exotic=sequence.exotic), outcome)

    def ask_in_succession(self) -> None:
        """Make calls that each continue from the last, where the reference keeps something between calls.

        Raises:
            Decided: an answer is wrong.
        """
        given = self.basis.given
        target = self.trials.reference(given.init)
        learned = {name for name, _ in target.named_parameters()} if self.remembered else set[str]()
        if not self.remembered or (learned and self.trials.names is None):
            return
        settings = [replace(setting, state=given.state) for setting in succession.successive(given, self.others)]
        try:
            wanted = succession.expected(target, settings)
        except Exception:  # whatever the reference says to such calls
            return
        try:
            wrong = list(succession.differing(self.trials.in_succession(settings, learned), wanted))
        except Failed as failure:
            raise Decided(self.answers.failed("sequence", succession.LABEL, failure)) from None
        if wrong:
            words = "it remembers something different from the reference"
            because = f"Called {len(settings)} times in a row, it is wrong from call {wrong[0]} on: {words}."
            raise Decided(self.record.result(Verdict.MISTAKE, because, kind="sequence", label=succession.LABEL))
        self.record.asked.append(Asked("sequence", succession.LABEL, "right"))

    def ask_random(self) -> None:
        """Check that random numbers have the reference's distribution, and that buffers change in the same way.

        Raises:
            Decided: they are not.
        """
        given, label = self.basis.given, f"training mode, {DRAWS} seeds"
        try:
            wrong, changes_buffers = drawn_otherwise(self.trials, given)
        except Failed as failure:
            raise Decided(self.answers.failed("mode", label, failure)) from None
        if wrong:
            raise Decided(self.record.result(Verdict.MISTAKE, wrong, kind="mode", label=label))
        self.record.asked.append(Asked("mode", label, "right"))
        if changes_buffers:
            training = replace(given, training=True)
            outcome = self.trials.ask(training, How(buffers_only=True))
            self.answers.take(Question("mode", "buffers after training mode", training), outcome)
