"""KernelResult: the answer about one solution (right, wrong and how, or a cheat), and everything that it was asked."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..documents import document, parsed, restored, text_of
from ..shown import shown
from ..verdicts.result import CheckResult
from ..verdicts.verdict import Verdict


@dataclass(frozen=True)
class Asked:
    """One question.

    Attributes:
        kind: "given", "seed", "values", "formats", "parameters", "sizes", "layout", "sequence", "mode" or "gradients". label: on what.
        answer: "right", "wrong", "refused" (the solution raised), or "no answer" (the reference itself can't compute it). note: more.
    """

    kind: str
    label: str
    answer: str
    note: str = ""


@shown
@dataclass(frozen=True)
class KernelResult:
    """What was found about one solution.

    Attributes:
        verdict: one of the eight; that of the question that decided. cheat: what it does that no kernel may, in words; "" for nothing.
        fault: how it fails where it gives no result ("raises", "hangs", "dies", "runs out of memory"); "" where it gives some.
        kind, label: of the question that decided. because: the reason in a sentence or two.
        asked: every question, in order. promises: what variants of the inputs kept to. notes: what was not asked, and why.
        problem, solution, format: names. declared: the precision that it may use. check: the numbers of the question that decided.
        held: what the process was kept from. complete: False where the budget ended the questions. seconds: how long it took.
        coarser: how far off the reference would be in less precision, in units of the noise, by what is computed so, see `yardsticks`.
        versions: of Python and the packages that were used, the system and the processor.
    """

    verdict: Verdict
    because: str
    cheat: str = ""
    fault: str = ""
    kind: str = ""
    label: str = ""
    asked: tuple[Asked, ...] = ()
    promises: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    problem: str = ""
    solution: str = ""
    format: str = ""
    declared: str = ""
    check: CheckResult | None = None
    held: tuple[str, ...] = ()
    complete: bool = True
    seconds: float = 0.0
    coarser: dict[str, float] = field(default_factory=dict)
    versions: dict[str, str] = field(default_factory=dict)

    @property
    def answer(self) -> str:
        """RIGHT, CHEAT, or the verdict's name."""
        return "CHEAT" if self.cheat else "RIGHT" if self.verdict.acceptable else self.verdict.name

    @property
    def acceptable(self) -> bool | None:
        """Whether the solution is right; None when undecided."""
        return False if self.cheat else self.verdict.acceptable

    @property
    def exit_code(self) -> int:
        """0 right, 1 not, 3 undecided."""
        return 1 if self.cheat else self.verdict.exit_code

    def to_json(self) -> str:
        """The result as JSON text, as a report of one solution."""
        return KernelReport((self,)).to_json()


@shown
@dataclass(frozen=True)
class KernelReport:
    """What was found about the solutions of a problem.

    Attributes:
        results: one for each solution, in the order in which they were given. complete: False after Ctrl-C.
    """

    results: tuple[KernelResult, ...]
    complete: bool = True

    @property
    def acceptable(self) -> bool | None:
        """Whether all solutions are right; None where some are undecided and none is wrong."""
        found = {result.acceptable for result in self.results}
        return False if False in found else None if None in found else True

    @property
    def exit_code(self) -> int:
        """0 all right, 1 not, 3 undecided; 130 after Ctrl-C."""
        return {True: 0, False: 1, None: 3}[self.acceptable] if self.complete else 130

    def to_json(self) -> str:
        """The results as JSON text with a schema number."""
        return text_of(document("kernel", self, acceptable=self.acceptable, answers=[result.answer for result in self.results]))

    @staticmethod
    def from_json(text: str) -> KernelReport:
        """The report that `to_json` wrote.

        Raises:
            InputError: the text is no such JSON, or of a schema that this version does not know.
        """
        return restored("kernel", parsed(text))
