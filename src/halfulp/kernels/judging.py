"""judge(): is this kernel right, or merely close? The reference is run here, the solution in a sandbox."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..process.border import answered
from ..process.versions import versions
from ..verdicts.verdict import Verdict
from .answers import Answers, Decided
from .apart import of_this_thread
from .basis import Basis, drawn
from .budget import BUDGET_S, Budget
from .first_calls import FirstCalls
from .history import History
from .plan import Plan
from .problems.calls import State, remembered
from .problems.formats import read_problem, solution_file
from .problems.problem import Problem, count_of
from .problems.triton_bench import code_of
from .questions import footprint
from .questions.parameters import tables_of
from .questions.question import Question
from .record import Record
from .result import Asked, KernelResult
from .solutions import cheats
from .solutions.packing import Unsendable
from .solutions.place import INTERPRETER
from .solutions.sandbox import Failed, Sandbox
from .solutions.sharing import shared_state
from .solutions.triton_interpreter import NOTE
from .trials.memory import Memory
from .trials.sides import TIME_UP
from .trials.training import OTHER, RANDOM, kind_of_training
from .trials.trial import OFTEN, Trials

HELPERS = ("task.py", "utils.py")
"""Files beside a problem in GPU MODE's format that solutions import: names of types, and switches."""
FIRST_S = 20.0
"""The least time for the first call: importing and compiling take some seconds, and several times as many on a busy machine."""


@answered
def judge(
    problem: Problem | str | Path,
    solution: str | Path,
    *,
    declared: str | None = None,
    budget_s: float = BUDGET_S,
    seed: int = 0,
    progress: Callable[[str], None] | None = None,
) -> KernelResult:
    """Is this kernel right?

    Args:
        problem: the file or folder of a problem, see `read_problem`; its code is trusted, and run in a process of its own. Or a `Problem`,
            whose code is run in this process.
        solution: a Python file that defines `ModelNew`, `custom_kernel` or `actual`, as the problem's format asks, or FILE.py:name. Its
            code is run in another process, without network, and with files written in a folder of its own alone, where the system can
            keep it so.
        declared: the precision that the solution may use; by default that of the data.
        budget_s: how many seconds it may take, loading included; after that, questions get half of it in any case, and the first ones are
            always asked.
        seed: where random numbers start. progress: called with a few words before each question.

    Returns:
        A `KernelResult`: `answer`, `because`, `asked`; print it for the whole answer.

    Raises:
        CaseFileError: the problem or the file of the solution can't be read. What the solution does is a result and no error.
    """
    how: dict[str, Any] = {"declared": declared, "budget_s": budget_s, "seed": seed, "progress": progress}
    return judge_here(problem, solution, **how) if isinstance(problem, Problem) else of_this_thread().judged(problem, solution, **how)


def judge_here(
    problem: Problem | str | Path,
    solution: str | Path,
    *,
    declared: str | None = None,
    budget_s: float = BUDGET_S,
    seed: int = 0,
    progress: Callable[[str], None] | None = None,
    without: Collection[str] = (),
) -> KernelResult:
    """What `judge` answers, with the reference in this process.

    Args:
        problem, solution, declared, budget_s, seed, progress: see there. without: what is not asked, in the words of `progress`.
    """
    start = time.monotonic()
    chosen = problem if isinstance(problem, Problem) else read_problem(problem)
    memory = Memory() if isinstance(problem, Problem) else _memory_of(chosen)
    file, name = solution_file(solution, chosen.entry)
    chosen = replace(chosen, entry=name) if name else chosen
    neighbors = beside(chosen.file)
    helpers = [path for path in neighbors if path.name in HELPERS and chosen.format == "GPU MODE"]
    secrets = [chosen.file, *(path for path in neighbors if path.name not in HELPERS)]
    text = code_of(file.read_text(encoding="utf-8", errors="replace")) if chosen.format == "TritonBench" else None
    limits: dict[str, Any] = {"answer_s": max(5.0, budget_s / 3), "first_s": max(5.0, budget_s / 2), "cpu_s": int(10 * budget_s) + 60}
    sandbox = Sandbox(file, text=text, secrets=secrets, helpers=helpers, **limits)
    if sandbox.place != INTERPRETER:  # which compiles nothing
        sandbox.first_s = max(FIRST_S, sandbox.first_s)
    try:
        judging = _Judge(chosen, sandbox, declared=declared, budget_s=budget_s, seed=seed, without=without, memory=memory)
        judging.progress = progress or judging.progress
        found = judging.judged()
    finally:
        sandbox.close()
    return replace(found, seconds=time.monotonic() - start, held=sandbox.held, versions=versions())


def beside(file: Path) -> list[Path]:
    """The files beside a problem that belong to it: its description, and what solutions may import."""
    return [path for path in (file.parent / name for name in ("task.yml", *HELPERS)) if path.is_file()]


_LATEST = threading.local()


def _memory_of(problem: Problem) -> Memory:
    """What is known of the reference of the latest problem in this thread, unless its file has changed. A file may hold several."""
    key = (problem.format, str(problem.file.resolve()), problem.text, problem.name, problem.entry)
    if getattr(_LATEST, "key", None) != key:
        _LATEST.key, _LATEST.memory = key, Memory()
    return _LATEST.memory


class _Judge:
    """Judges one solution of one problem."""

    def __init__(
        self, problem: Problem, sandbox: Sandbox, *, declared: str | None, budget_s: float, seed: int, without: Collection[str],
        memory: Memory,
    ) -> None:  # fmt: skip
        self.problem, self.sandbox, self.declared = problem, sandbox, declared
        self.seed, self.without = seed, without
        self.budget = Budget(budget_s)
        self.progress: Callable[[str], None] = lambda _: None
        self.record = Record(problem, sandbox.solution.stem, declared)
        name = sandbox.solution.stem
        self.trials = Trials(problem.make, sandbox, build=self._build, declared=declared, solution=name, memory=memory)
        self._tables = frozenset[str]()
        self._remembered = set[str]()
        self._unanswered: list[Question] = []

    def judged(self) -> KernelResult:
        """Judge it."""
        self.progress("loading the solution")
        self.sandbox.start()
        answers = Answers(self.trials, self.budget, self.record, self._drawn())
        footprint.prepare()
        try:
            self._load(answers)
            self._make(answers)
            self.progress("the given inputs")
            FirstCalls(answers, self.seed).make()
            self.trials.deadline = self.budget.deadline
            for question in self._questions(answers):
                if self.budget.is_over:
                    self.record.is_complete = False
                    self.record.notes.append(f'Time ran out before the question "{question.kind}: {question.label}" and those after it.')
                    break
                self._ask(answers, question)
            else:
                self._ask_again(answers)
        except Decided as decided:
            return decided.result
        except Unsendable as error:
            return self.record.result(Verdict.UNDECIDED, f"Nothing was judged. {error}")
        check, given = self.record.check, answers.basis.given
        is_rounding = check is not None and check.verdict is Verdict.ROUNDING
        return self.record.right(self.trials.yardsticks(given) if is_rounding else {})

    def _drawn(self) -> Basis:
        """The first draw, with the reference's parameters, and what the problem promises about its inputs."""
        basis = Basis.of(self.problem, drawn(self.problem, self.seed), self.trials.reference)
        self.record.promised = (*basis.promises.words, *basis.stated.words)
        self.budget.numbers = count_of(basis.given)
        self._tables = tables_of(self.problem, basis.given.init, basis.stated.loaded)
        self.trials.wants_gradients = basis.stated.gradients
        self.trials.free = {f"inputs[{place}]" for place in basis.promises.bound}
        self.trials.tables, self.trials.once_s = self._tables, self.budget.pass_s / OFTEN
        return basis

    def _load(self, answers: Answers) -> None:
        """Load the solution.

        Raises:
            Decided: that fails, or is a cheat, or it doesn't define what it has to.
        """
        try:
            names, facts = self.sandbox.load()
        except Failed as failure:
            raise Decided(answers.failed("given", "loading it", failure)) from None
        if self.problem.entry not in names:
            missing = f"The file doesn't define {self.problem.entry}, which a solution of this problem has to define."
            raise Decided(self.record.result(Verdict.MISTAKE, missing, fault="raises"))
        answers.cheat(cheats.seen_by_process(facts, {}), "loading it")
        self.record.notes += [NOTE] if facts.get("interpreted") else []
        self.record.notes += [self.sandbox.source.narrow] if self.sandbox.source.narrow else []

    def _make(self, answers: Answers) -> None:
        """Construct the solution as the problem does; from then on the time counts, and parameters are shared.

        Raises:
            Decided: that fails, or is a cheat.
        """
        given = answers.own.given
        try:
            own, facts = self.sandbox.build(self.problem.entry, given.init, 0)
        except Failed as failure:
            raise Decided(answers.failed("given", "making it", failure)) from None
        answers.cheat(cheats.seen_by_process(facts, {}), "making it")
        self.budget.begin()
        self.trials.transient = frozenset(facts.get("transient", ()))
        kept = {name: tensor for name, tensor in own.items() if name in given.state or name not in self.trials.transient}
        self.trials.names, note = shared_state(given.state, kept, self._tables)
        if note:
            self.record.notes.append(note)
        self._remembered = remembered(self.trials.reference(given.init), given)
        if hidden := self._remembered - set((self.trials.names or {}).values()):
            self.trials.remembers = True
            words = f"The reference keeps {', '.join(sorted(hidden))} between calls, and the solution has no buffer of that name"
            self.record.notes.append(f"{words}: it is built again before each call.")

    def _build(self, init: tuple[Any, ...]) -> State:
        return self.sandbox.build(self.problem.entry, init, 0)[0]

    def _questions(self, answers: Answers) -> Iterator[Question]:
        """All other questions, the cheapest and most telling first.

        Raises:
            Decided: an answer is wrong.
        """
        basis = answers.basis
        others = basis.others(self.seed)
        for number, other in enumerate(others, 1):
            yield Question("seed", f"seed {self.seed + number}", other, promised=True)
        history = History(answers, others, tables=self._tables, remembered=self._remembered, seed=self.seed)
        history.ask_disturbed()
        history.ask_in_succession()
        may_train = basis.stated.trained or not basis.stated.inference
        training = kind_of_training(self.trials.reference(basis.given.init), basis.given) if may_train else ""
        source, text = self.sandbox.source, f"{self.problem.text} {self.problem.description}"
        plan = Plan(
            basis, self.trials, tables=self._tables, blocks=(*source.blocks, *source.own_sizes(text)), bounds=source.bounds(text),
            seed=self.seed, has_modes=training == OTHER, asked=self.record.asked,
            speaks_of_nan=source.speaks_of_nan(text),
        )  # fmt: skip
        yield from self._with_sizes(plan, plan.on_given())
        if training == RANDOM:
            history.ask_random()
        yield from self._with_sizes(plan, plan.elsewhere())

    def _with_sizes(self, plan: Plan, questions: Iterator[Question]) -> Iterator[Question]:
        """The questions, and halfway through the time one about other sizes if there was none: a slow solution may never get to any."""
        for question in questions:
            yield question
            if self.budget.is_half_over:
                yield from plan.first_sizes()

    def _ask(self, answers: Answers, question: Question) -> None:
        """Ask a question, unless it breaks a promise or would take too long.

        Raises:
            Decided: it is answered wrong.
        """
        if not question.ignored and not answers.basis.stated.allows(question.setting, question.sizes):
            return
        if (words := f"{question.kind}: {question.label}") in self.without:
            self.record.asked.append(Asked(question.kind, question.label, "no answer", "the reference ends its process there"))
            return
        self.progress(words)
        if takes_s := self.budget.too_long(question):
            self.record.asked.append(Asked(question.kind, question.label, "no answer", f"it would take about {takes_s:.0f} s"))
            return
        start = time.monotonic()
        answers.ask(question)
        if question.far and self.record.asked[-1].note == TIME_UP:
            self._unanswered.append(question)
        self.budget.took(question, time.monotonic() - start, self.trials.reference_s, answers.basis.problem.sizes)

    def _ask_again(self, answers: Answers) -> None:
        """Spend the time that is left on far questions that needed more than their part of it.

        Raises:
            Decided: one is answered wrong.
        """
        for question in self._unanswered:
            if self.budget.is_over:
                break
            self.progress(f"{question.kind}: {question.label}")
            self.record.asked = [asked for asked in self.record.asked if (asked.kind, asked.label) != (question.kind, question.label)]
            answers.ask(question, patiently=True)
