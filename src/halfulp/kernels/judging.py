"""judge(): is this kernel right, or merely close? The reference is run here, the solution in a sandbox."""

from __future__ import annotations

import contextlib
import functools
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..process.border import answered
from ..process.versions import versions
from ..verdicts.verdict import Verdict
from .apart import of_this_thread
from .budget import BUDGET_S, FIRST_CALLS, Budget
from .plan import LONGER, SEEDS, Plan, other_draw
from .problems.calls import Setting, State, leaves, remembered, state_of
from .problems.formats import read_problem, solution_file
from .problems.problem import Problem, count_of
from .problems.triton_bench import code_of
from .promises.promises import Promises
from .promises.stated import Stated
from .questions import footprint
from .questions.parameters import moved, tables_of
from .questions.question import Question, decides_nothing, loses_little
from .questions.sequences import sequences
from .questions.sizes import size_in_words
from .record import Record
from .result import Asked, KernelResult
from .solutions import cheats
from .solutions.place import CUDA, INTERPRETER
from .solutions.sandbox import Failed, Sandbox
from .solutions.sharing import shared_state
from .solutions.triton_interpreter import NOTE
from .trials import succession
from .trials.sides import How
from .trials.training import DRAWS, OTHER, RANDOM, drawn_otherwise, kind_of_training
from .trials.trial import OFTEN, Outcome, Trials
from .trials.undefined import why_undefined
from .trials.yardstick import yardsticks

OUT_OF_RANGE = (("specials",), ("overflow",))
"""The evidence that comes first where infinities or NaN are in other places."""
SLOW = ("hangs", "runs out of memory")
"""How a slow solution fails that is asked far more than the problem does: that says nothing of its numbers."""
SLOWER = "Triton's interpreter takes thousands of times as long as a GPU does."
SMALL = 8
"""What is shorter stays as it is where sizes become smaller: widths of filters, numbers of groups."""


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
    file, name = solution_file(solution, chosen.entry)
    chosen = replace(chosen, entry=name) if name else chosen
    secrets = [chosen.file, *chosen.file.parent.glob("task.yml")]
    helpers = [path for path in (chosen.file.parent / name for name in HELPERS) if chosen.format == "GPU MODE" and path.is_file()]
    text = code_of(file.read_text(encoding="utf-8", errors="replace")) if chosen.format == "TritonBench" else None
    limits: dict[str, Any] = {"answer_s": max(5.0, budget_s / 3), "first_s": max(FIRST_S, budget_s / 2), "cpu_s": int(10 * budget_s) + 60}
    sandbox = Sandbox(file, text=text, secrets=secrets, helpers=helpers, **limits)
    try:
        judging = _Judge(chosen, sandbox, declared=declared, budget_s=budget_s, seed=seed, without=without)
        judging.progress = progress or judging.progress
        found = judging.judged()
    finally:
        sandbox.close()
    return replace(found, seconds=time.monotonic() - start, held=sandbox.held, versions=versions())


POISONED = ("sizes", "values")
"""Kinds of questions in whose calls memory that nobody wrote holds NaN: what a tail or an empty row leaves there may be right by chance."""
OF_GIVEN_SIZES = ("given", "seed", "values")
"""Kinds of questions whose tensors are as long as the problem's: an axis of length 1 is no copy when it is made contiguous."""
HELPERS = ("task.py",)
"""Of a problem of GPU MODE: the names of types, which solutions import."""
FIRST_S = 20.0
"""At least, for the first call: what it imports and compiles takes some seconds, and several times as long on a busy machine."""


class _Done(Exception):
    """The answer is known."""

    def __init__(self, result: KernelResult) -> None:
        self.result = result


class _Judge:
    """One problem and one solution."""

    def __init__(
        self, problem: Problem, sandbox: Sandbox, *, declared: str | None, budget_s: float, seed: int, without: Collection[str]
    ) -> None:
        self.problem, self.sandbox, self.declared = problem, sandbox, declared
        self.seed, self.without = seed, without
        self.budget = Budget(budget_s)
        self.progress: Callable[[str], None] = lambda _: None
        self.record = Record(problem, sandbox.solution.stem, declared)
        self.promises: Promises
        self.stated: Stated
        self.trials = Trials(problem.make, sandbox, build=self._build, declared=declared, solution=sandbox.solution.stem)
        self._given_setting: Setting | None = None
        self._falls_back = False
        self._tables = frozenset[str]()
        self._remembered = set[str]()

    def judged(self) -> KernelResult:
        """The answer."""
        try:
            self.progress("loading the solution")
            self.sandbox.start()
            given = self._drawn_first()
            footprint.prepare()
            try:
                names, facts = self.sandbox.load()
            except Failed as failure:
                return self._failed("given", "loading it", failure)
            if self.problem.entry not in names:
                missing = f"The file doesn't define {self.problem.entry}, which a solution of this problem has to define."
                return self.record.result(Verdict.MISTAKE, missing, fault="raises")
            self._cheat(cheats.seen_by_process(facts, {}), "loading it")
            self.record.notes += [NOTE] if facts.get("interpreted") else []
            self.record.notes += [self.sandbox.source.narrow] if self.sandbox.source.narrow else []
            self._build_on(given)
            given = self._first(given)
            self.trials.deadline = self.budget.deadline
            for question in self._questions(given):
                if self.budget.is_over:
                    self.record.is_complete = False
                    self.record.notes.append(f'Time ran out before the question "{question.kind}: {question.label}" and those after it.')
                    break
                if not question.ignored and not self.stated.allows(question.setting, question.sizes):
                    continue
                if (words := f"{question.kind}: {question.label}") in self.without:
                    self.record.asked.append(Asked(question.kind, question.label, "no answer", "the reference ends its process there"))
                    continue
                self.progress(words)
                if takes_s := self.budget.too_long(question):
                    self.record.asked.append(Asked(question.kind, question.label, "no answer", f"it would take about {takes_s:.0f} s"))
                    continue
                start = time.monotonic()
                self._ask(question)
                self.budget.took(question, time.monotonic() - start, self.trials.reference_s, self.problem.sizes)
        except _Done as done:
            return done.result
        check = self.record.check
        is_rounding = check is not None and check.verdict is Verdict.ROUNDING
        return self.record.right(yardsticks(self.trials.reference(given.init), given, self.declared) if is_rounding else {})

    def _drawn_first(self) -> Setting:
        """The first draw, with the reference's parameters, and what the problem promises of its inputs."""
        draws = [self.problem.draw(self.seed + number, {}) for number in SEEDS]
        state = state_of(self.trials.reference(draws[0].init))
        given = replace(draws[0], state=state)
        self.promises = Promises(draws)
        self.stated = Stated(self.problem, [replace(draw, state=state) if draw.init == given.init else draw for draw in draws])
        self.promises.may_reach_zero(self.stated.signed)
        self.trials.wants_gradients = self.stated.gradients
        self.record.promised = (*self.promises.words, *self.stated.words)
        self.trials.free = {f"inputs[{place}]" for place in self.promises.of}
        self.budget.numbers, self._given_setting, self._tables = count_of(given), given, tables_of(self.problem, given.init)
        self.trials.tables, self.trials.once_s = self._tables, self.budget.pass_s / OFTEN
        return given

    def _build_on(self, given: Setting) -> None:
        """Construct the solution as the problem does; from then on the time counts, and parameters are shared.

        Raises:
            _Done: that fails, or is a cheat.
        """
        try:
            own, facts = self.sandbox.build(self.problem.entry, given.init, 0)
        except Failed as failure:
            raise _Done(self._failed("given", "making it", failure)) from None
        self._cheat(cheats.seen_by_process(facts, {}), "making it")
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

    def _first(self, given: Setting) -> Setting:
        """The inputs of the problem, and what the process sees of the first calls.

        Returns:
            The setting from which all other questions start, see `_shrunk`.
        """
        self.progress("the given inputs")
        try:
            self.budget.call_s = self._timed(given)
            if self.budget.call_s <= self.budget.pass_s * SMALL:  # much of a longer one is not the first call's alone
                self.budget.call_s = min(self.budget.call_s, self._timed(given))
        except Failed as failure:
            if failure.kind == "hangs" and self.sandbox.place == INTERPRETER:
                return self._first_smaller(given, failure)
            if failure.kind in SLOW:
                raise _Done(self._failed("given", "the inputs of the problem", failure)) from None
        self.sandbox.answer_s = max(self.sandbox.answer_s, 2 * self.budget.call_s)
        if self.budget.call_s > self.budget.seconds / FIRST_CALLS:
            self._ask_given(given, How(longest_s=OFTEN * self.budget.call_s / 2, float32=self.stated.float32))  # by one run
            start = self._shrunk(given)
            self._look_for_cheats(start)
        else:
            # A cheat would contradict itself in what the judgement asks: it is looked for first.
            self._look_for_cheats(given)
            self._ask_given(given, How(whole=True, float32=self.stated.float32))
            start = self._shrunk(given)
        self._cheat(cheats.CALLS_REFERENCE if self.record.is_identical and self._falls_back else "", "the inputs of the problem")
        for label, test in self.problem.tests:
            if self.budget.is_over:
                self.record.is_complete = False
                break
            self._take(Question("given", label, test), self.trials.ask(test), must=True)
        return start

    def _first_smaller(self, given: Setting, failure: Failed) -> Setting:
        """The same at smaller sizes, where the given ones take too long in Triton's interpreter.

        Raises:
            _Done: they are wrong, or take too long as well.
        """
        self.budget.call_s, self.record.check = self.budget.seconds, None
        said = f"On the inputs of the problem it {failure.words.rstrip('.')}. {SLOWER}"
        self.record.notes.append(f"{said} It was judged only at smaller sizes.")
        start = self._shrunk(given)
        if start is given:
            self.record.notes.pop()
            because = f"{said} Nothing was judged; it may never end."
            raise _Done(self.record.result(Verdict.UNDECIDED, because, fault=failure.kind, kind="given", label="the inputs of the problem"))
        self._look_for_cheats(start)
        return start

    def _ask_given(self, given: Setting, how: How) -> None:
        outcome = self.trials.ask(given, how)
        self._take(Question("given", "the inputs of the problem", given), outcome, must=True)
        self.record.check = outcome.check

    def _shrunk(self, given: Setting) -> Setting:
        """The setting from which all other questions start: the given one; for a solution that takes long, one with smaller sizes.

        Raises:
            _Done: the solution is wrong there.
        """
        problem = self.problem
        too_slow = self.budget.call_s / self.budget.pass_s
        for parts in (2, 4, 8) if too_slow < SMALL else (SMALL,):
            if self.budget.call_s <= self.budget.pass_s or self.budget.is_over:
                break
            sizes = {name: value // parts if value >= SMALL * parts else value for name, value in problem.sizes.items()}
            changes = {name: size for name, size in sizes.items() if size != problem.sizes[name] and "#" not in name}
            if not changes:
                continue
            draw = functools.partial(_drawn_with, problem, changes)
            try:
                draws = [draw(self.seed + number, {}) for number in SEEDS]
                small = replace(draws[0], state=state_of(self.trials.reference(draws[0].init)))
            except Exception:  # whatever a problem says of sizes that don't fit together
                continue
            if not self.stated.allows(small, changes):
                continue
            outcome, taken_s = self.trials.ask(small, How(longest_s=max(self.budget.pass_s, OFTEN * self.budget.call_s / SMALL))), 0.0
            with contextlib.suppress(Failed):
                taken_s = self._timed(small)
            label = f"smaller: {', '.join(f'{size_in_words(name)} {size}' for name, size in changes.items())}"
            self._take(Question("sizes", label, small), outcome)
            if outcome.answer == "right":
                self.budget.call_s = taken_s
                self.problem, self.promises, given = replace(problem, sizes=sizes, draw=draw), Promises(draws), small
                self.stated = Stated(self.problem, [replace(draw, state=small.state) for draw in draws])
                self.promises.may_reach_zero(self.stated.signed)
        return given

    def _timed(self, setting: Setting) -> float:
        """How many seconds a call takes."""
        start = time.monotonic()
        self.trials.call(setting)
        return time.monotonic() - start

    def _look_for_cheats(self, given: Setting) -> None:
        """What the process sees of a call, and what its results depend on.

        Raises:
            _Done: there is a cheat, or the solution ends without a result.
        """
        try:
            self._seen(given)
        except Failed as failure:
            if failure.kind != "raises":
                raise _Done(self._failed("given", "the inputs of the problem", failure)) from None

    def _seen(self, given: Setting) -> None:
        label = "the inputs of the problem"
        facts = cheats.reference_facts(self.trials.reference(given.init), given)
        found = self.trials.call(given, settled=cheats.SETTLED_S, watched=True).facts
        self._cheat(cheats.seen_by_process(found, facts), label)
        self._cheat(cheats.CALLS_REFERENCE if cheats.calls_reference(found, facts) else "", label)
        self._falls_back = cheats.falls_back(found, facts)
        if alike := sorted(set(found.get("whole", ())) & set(facts["whole"])):
            self.record.notes.append(f"It calls {', '.join(alike)} of PyTorch, as the reference does: what that computes is not its own.")
        self._cheat(
            cheats.depends(self.trials.call, (given, other_draw(self.problem, given, self.seed + SEEDS[1])), self.trials.expected),
            "two draws of the inputs",
        )
        self._cheat(cheats.seen_by_process(self.trials.call(given).facts, facts), label)
        self._cheat(cheats.UNWRITTEN if cheats.reads_unwritten(self.trials.call, given) else "", label)

    def _questions(self, given: Setting) -> Iterator[Question]:
        """Everything else, the cheapest and most telling first."""
        others = [other_draw(self.problem, given, self.seed + number) for number in SEEDS[1:]]
        for number, other in enumerate(others, 1):
            yield Question("seed", f"seed {self.seed + number}", other)
        self._in_sequence(given, others)
        self._in_succession(given, others)
        training = kind_of_training(self.trials.reference(given.init), given) if not self.stated.inference else ""
        plan = Plan(
            self.problem, given, self.promises, self.stated, self.trials, tables=self._tables, blocks=self.sandbox.source.blocks,
            seed=self.seed, has_modes=training == OTHER, asked=self.record.asked,
        )  # fmt: skip
        yield from plan.on_given()
        if training == RANDOM:
            self._drawn(given)
        yield from plan.elsewhere()

    def _drawn(self, given: Setting) -> None:
        """Whether random numbers are drawn as the reference draws them, and buffers change alike.

        Raises:
            _Done: they are not.
        """
        label = f"training mode, {DRAWS} seeds"
        try:
            wrong, changes_buffers = drawn_otherwise(self.trials, given)
        except Failed as failure:
            raise _Done(self._failed("mode", label, failure)) from None
        if wrong:
            raise _Done(self.record.result(Verdict.MISTAKE, wrong, kind="mode", label=label))
        self.record.asked.append(Asked("mode", label, "right"))
        if changes_buffers:
            training = replace(given, training=True)
            self._take(Question("mode", "buffers after training mode", training), self.trials.ask(training, How(buffers_only=True)))

    def _in_sequence(self, given: Setting, others: list[Setting]) -> None:
        """Calls that another one may disturb, see `sequences`.

        Raises:
            _Done: an answer is wrong.
        """
        state = moved(given.state, self.seed, self._tables) if self.trials.names is not None else None
        state = self.stated.allowed(given, state, {}) if state is not None else None
        for sequence in sequences(given, others, self.promises, state, on_device=self.sandbox.place == CUDA):
            outcome = self.trials.ask(sequence.setting, sequence.how)
            if sequence.alone and outcome.answer == "wrong":
                plain = self.trials.ask(sequence.setting)
                is_unstable = plain.check is not None and plain.check.verdict is Verdict.UNSTABLE  # memory that was freed is used again
                if plain.answer == "wrong" and not is_unstable:
                    self._take(Question(*sequence.alone, sequence.setting), plain)  # it is wrong wherever they lie
            if sequence.verdict is not None and outcome.answer == "wrong" and outcome.failure is None:
                because = f"{sequence.words} {outcome.note}"
                raise _Done(self.record.result(sequence.verdict, because, kind="sequence", label=sequence.label, check=outcome.check))
            self._take(Question("sequence", sequence.label, sequence.setting, exotic=sequence.exotic), outcome)

    def _in_succession(self, given: Setting, others: list[Setting]) -> None:
        """Calls of which each goes on from the one before, where the reference keeps something from call to call.

        Raises:
            _Done: an answer is wrong.
        """
        target = self.trials.reference(given.init)
        learned = {name for name, _ in target.named_parameters()} if self._remembered else set[str]()
        if not self._remembered or (learned and self.trials.names is None):
            return
        settings = [replace(setting, state=given.state) for setting in succession.successive(given, others)]
        try:
            wanted = succession.expected(target, settings)
        except Exception:  # whatever the reference says to such calls
            return
        try:
            wrong = list(succession.differing(self.trials.in_succession(settings, learned), wanted))
        except Failed as failure:
            raise _Done(self._failed("sequence", succession.LABEL, failure)) from None
        if wrong:
            words = "it remembers something different from the reference"
            because = f"Called {len(settings)} times in a row, it is wrong from call {wrong[0]} on: {words}."
            raise _Done(self.record.result(Verdict.MISTAKE, because, kind="sequence", label=succession.LABEL))
        self.record.asked.append(Asked("sequence", succession.LABEL, "right"))

    def _ask(self, question: Question) -> None:
        how = How(
            gradients=question.gradients, longest_s=self.budget.pass_s, within_s=self.budget.within_s(question), exact=question.exact,
            times=question.times, apart=question.apart, buffers_only=question.buffers, poisoned=question.kind in POISONED,
        )  # fmt: skip
        outcome = self.trials.ask(question.setting, how)
        can_be_otherwise = question.otherwise is not None and not outcome.slow
        if can_be_otherwise and (outcome.answer == "no answer" or self._why_undefined(question, outcome)):
            question = replace(question, setting=question.otherwise, otherwise=None)
            outcome = self.trials.ask(question.setting, how)
        is_special = outcome.check is not None and outcome.check.because[:1] in OUT_OF_RANGE
        if how.poisoned and outcome.answer == "wrong" and is_special and not question.exotic:
            plain = self.trials.ask(question.setting, replace(how, poisoned=False))
            self._cheat(cheats.UNWRITTEN if plain.answer == "right" else "", f"{question.kind}: {question.label}")
            outcome = plain
        self._take(question, outcome)

    def _why_undefined(self, question: Question, outcome: Outcome) -> str:
        """Why the reference is no guide on a question that was answered wrong; "" where it is one."""
        if outcome.answer != "wrong" or self._given_setting is None:
            return ""
        evidence = outcome.check.because[:1] if outcome.check is not None else ()
        how: dict[str, Any] = {"special": evidence in OUT_OF_RANGE, "shaped": "structure" in evidence, "gradients": question.gradients}
        tensors = leaves(question.setting.arguments)
        how["untied"] = not all(tie.holds(tensors) for tie in self.promises.ties)
        return why_undefined(self.trials.reference(question.setting.init), question.setting, self._given_setting, **how)

    def _take(self, question: Question, outcome: Outcome, *, must: bool = False) -> None:
        """Note the answer; a wrong one ends the questions.

        Raises:
            _Done: it is wrong.
        """
        answer = "wrong" if (must or question.promised) and outcome.answer == "refused" else outcome.answer
        is_far = question.far or count_of(question.setting) > LONGER * self.budget.numbers
        if outcome.failure is not None and outcome.failure.kind in SLOW and (is_far or self.sandbox.place == INTERPRETER) and not must:
            answer = "refused"
        is_unstable = outcome.check is not None and outcome.check.verdict is Verdict.UNSTABLE
        if answer == "wrong" and not must and (loses_little(question, outcome.check) or (question.blunt and is_unstable)):
            answer = "right"
        if answer == "wrong" and not must and (why := self._why_undefined(question, outcome)):
            answer, outcome = "no answer", replace(outcome, note=why)
        seen = (*cheats.SEEN_IN_CALLS, *(cheats.SEEN_AT_GIVEN_SIZES if question.kind in OF_GIVEN_SIZES else ()))
        if any(outcome.facts.get(name) for name in seen) and not question.gradients:
            # Where the reference refuses, what is written is no cheat.
            facts: dict[str, Any] = {name: outcome.facts.get(name) for name in ("written", "aliased", "kept")}
            with contextlib.suppress(Exception):
                facts = cheats.reference_facts(self.trials.reference(question.setting.init), question.setting)
            self._cheat(cheats.seen_by_process({name: outcome.facts.get(name) for name in seen}, facts), question.label)
        self.record.asked.append(Asked(question.kind, question.label, answer, outcome.note[:400] if answer != "right" else ""))
        if answer != "wrong":
            return
        mute = decides_nothing(question, contracted=self.sandbox.place == CUDA)
        because = outcome.check.because[:1] if outcome.check is not None else ()
        is_free = question.tied and outcome.check is None and outcome.failure is None  # which of equal numbers is chosen was not looked at
        if (
            question.exotic
            or is_free
            or (outcome.check is not None and (because in mute or (question.finite and because not in OUT_OF_RANGE)))
        ):
            self.record.notes.append(f"The two differ on {question.label}, which decides nothing: correct kernels may differ there.")
            return
        if outcome.failure is not None:
            raise _Done(self._failed(question.kind, question.label, outcome.failure))
        verdict = outcome.check.verdict if outcome.check is not None else Verdict.MISTAKE
        note = outcome.note
        if question.kind == "layout" and verdict is Verdict.UNSTABLE:  # in float64 they lie in memory as they were made
            verdict = Verdict.MISTAKE
            note = f"The numbers are the given ones and only lie differently in memory: the solution ignores their strides. {note}"
        is_first = question.setting is self._given_setting
        where = "" if is_first else f'It is wrong on the question "{question.kind}: {question.label}". '
        raise _Done(self.record.result(verdict, f"{where}{note}", kind=question.kind, label=question.label, check=outcome.check))

    def _cheat(self, cheat: str, label: str) -> None:
        """End the questions where there is a cheat.

        Raises:
            _Done: there is one.
        """
        if cheat:
            raise _Done(self.record.cheat(cheat, label))

    def _failed(self, kind: str, label: str, failure: Failed) -> KernelResult:
        cheat = cheats.seen_by_process({"attempts": failure.attempts}, {})
        return self.record.cheat(cheat, label) if cheat else self.record.failed(kind, label, failure, self.sandbox.place)


def _drawn_with(problem: Problem, sizes: Mapping[str, int], seed: int, changes: Mapping[str, int]) -> Setting:
    """A draw of a problem whose sizes are others, some of them changed."""
    return problem.draw(seed, {**sizes, **changes})
