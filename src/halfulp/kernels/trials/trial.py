"""Trials: ask a setting of the solution and the reference: a quick look at the numbers, then the whole judgement if needed."""

from __future__ import annotations

import contextlib
import math
import time
import types
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import torch

from ...cases import Case, Deadline, Known, OutOfTime
from ...cases.stored import Stored
from ...cases.trees import tensors_of, tree_map
from ...errors import InputError, RunError
from ...floats import format_named
from ...verdicts.checker import judged
from ...verdicts.evidence.finding import Finding
from ...verdicts.gatherer import Gatherer
from ...verdicts.result import CheckResult
from ...verdicts.verdict import Verdict
from ..problems.calls import ALL, Setting, State, call, copied, differentiated, equal, is_real, leaves
from ..problems.facts import SEEN, written
from ..solutions.packing import Unsendable
from ..solutions.place import CUDA
from ..solutions.sandbox import Called, Failed, Sandbox
from .looks import (
    RETURNS_NOTHING,
    coarser_than_reference,
    errs_where_nothing_does,
    gross_error,
    is_as_good,
    is_close_in_norm,
    is_exact,
    is_no_farther,
    is_out_of_range,
    is_undisturbed,
    is_within,
    more_roundings,
    undefined,
    undefined_places,
    unusable,
)
from .memory import Memory, digest
from .sides import AS_GIVEN, LATE, TIME_UP, How, Sides
from .yardstick import yardsticks

TWICE = 0.02
"""The share of results off by over three quarters of an ulp where a sum was rounded on the way. Half an ulp and two quarters of one (two
terms half as large as the sum) exceed that with probability 0.021; if one term is as large as the sum, with 0.062."""
AFTER_SUMS = 0.14
"""The same where a bias is added to a sum, an activation taken and a residual added, each rounded: three errors of up to half an ulp add up
to over three quarters of one with probability 2 (3/4)^3 / 3! = 0.141."""
AS_ROUNDING = 2.0
"""Units of the noise. Another correct implementation is off by about one (rms), and 95 in 100 single numbers by less than two."""
FEW_ROUNDINGS = 32.0
"""Times u. Noise of sums, softmax, layer norms, GELU and products over 512 numbers is 3 to 9 u; one step of a quantizer to
16 bits is 256 u of its range, and at ties of one to 8 bits noise is 100,000 u."""
OFTEN = 6.0
"""A whole judgement runs the solution about ten times, and sixty questions are asked. A run slower than this part of the time allowed for
the reference (a hundredth of the budget) would use up the budget, so such a solution is first judged by one run."""


OUT_OF_RANGE = (("specials",), ("overflow",))
"""The evidence that leads where infinities or NaN are in different places."""
LEANS = (("redraw",), ("gain",))
"""The evidence that leads where errors lean to one side."""


@dataclass(frozen=True, eq=False)
class Outcome:
    """The outcome of a trial.

    Attributes:
        answer: "right", "wrong", "refused" or "no answer", see `Asked`. note: why.
        check: the judgement, where one was made. failure: what the solution failed with. facts: what its process saw of the call.
        slow: whether it would have taken longer than it may. out_of_range: whether one run showed infinities or NaN in different places.
    """

    answer: str
    note: str = ""
    check: CheckResult | None = None
    failure: Failed | None = None
    facts: dict[str, Any] = field(default_factory=dict)
    slow: bool = False
    out_of_range: bool = False

    @property
    def is_special(self) -> bool:
        """Whether what is wrong is that infinities or NaN are in different places."""
        return self.out_of_range or (self.check is not None and self.check.because[:1] in OUT_OF_RANGE)


GRADIENTS, SIZE, SECONDS, YARDSTICKS = "gradients", "size", "seconds", "yardsticks"
"""What is known of the reference besides its runs and noise: which gradients it records and whether they are anything but zero; how large
the largest is; how long it takes; how far off it would be in less precision."""
RECORDS_NONE, REFERENCE_RECORDS_NONE = "it records no gradients", "the reference records no gradients"
RANDOM_REFERENCE = Outcome("no answer", "the reference gives different results each time it is called")
TOO_LATE = Outcome("no answer", TIME_UP, slow=True)


class Trials:
    """Asks one solution about settings.

    Args:
        make: makes the reference for some constructor arguments. build: makes the solution for some constructor arguments, and returns its
            own state.
        sandbox: the solution. solution: its name. declared: the precision; None for that of the data.
        memory: what is known of the reference.

    Attributes:
        names: the solution's name of each parameter and buffer -> the reference's; None if they can't be shared.
        tables: buffers that are not inputs, see `tables_of`: they are not moved, permuted or scaled.
        transient: the solution's buffers that it doesn't store: after loading a checkpoint, it uses those that it computes.
        code: of the solution, to be inspected and never run.
        deadline: by `time.monotonic`; the solution is not called after it, because a question may take many calls.
        reference_s: how long the last call of the reference took.
        once_s: a solution that takes longer is judged by one run first, unless a question says otherwise.
        wants_gradients: whether the problem asks for them, so that a solution has to record some.
        remembers: whether the reference keeps between calls what the solution keeps in another way, so that it is made again for each call.
        free: inputs whose gradients are not compared: in a matrix that is promised to be triangular, those of the other half are arbitrary.
        outputs: the places of the arguments that hold the results, where the reference returns nothing.
    """

    def __init__(
        self,
        make: Callable[[tuple[Any, ...]], Any],
        sandbox: Sandbox,
        *,
        build: Callable[[tuple[Any, ...]], State],
        declared: str | None,
        solution: str,
        memory: Memory,
    ) -> None:
        self.make, self.sandbox, self.build, self.declared, self.solution = make, sandbox, build, declared, solution
        self.memory = memory
        self.free: set[str] = set()
        self.outputs: tuple[int, ...] = ()
        self.tables: frozenset[str] = frozenset()
        self.transient: frozenset[str] = frozenset()
        self.code = _code_of(sandbox.solution)
        self.names: dict[str, str] | None = {}
        self.deadline = self.once_s = math.inf
        self.reference_s = 0.0
        self.wants_gradients = self.remembers = False
        self._coarser = 1.0
        self._made: dict[str, Any] = {}
        self._built = ""
        self._own: State = {}

    def reference(self, init: tuple[Any, ...]) -> Any:
        """The reference for these constructor arguments, made once."""
        key = _key(init)
        if key not in self._made:
            self._made = {key: self.make(init)}
        return self._made[key]

    def expected(self, setting: Setting) -> Any:
        """What the reference returns; its errors are passed on."""
        with torch.no_grad():
            target = self.reference(setting.init)
            return call(target, setting.state, copied(setting.arguments), setting.keywords, training=setting.training)[0]

    def call(self, setting: Setting, **how: Any) -> Called:
        """Call the solution once, with the parameters of the setting under its own names.

        Args:
            how: see `Sandbox.call`.

        Raises:
            Failed: it gives no result.
        """
        if self.remembers or _key(setting.init) != self._built:
            self._own = self.build(setting.init)
            self._built = _key(setting.init)
        state = setting.state
        if self.names is None:
            kinds = [tensor.dtype for tensor in state.values() if is_real(tensor)]
            state = {name: tensor.to(kinds[0]) if kinds and is_real(tensor) else tensor for name, tensor in self._own.items()}
        else:
            shared = ((own, state[name]) for own, name in self.names.items() if name in state and not self._is_otherwise(own, name, state))
            state = {own: self._in_own_format(own, tensor) for own, tensor in shared}
        found = self.sandbox.call(replace(setting, state=state), **how)
        results: Any = found.results
        if how.get("gradients"):
            results = self._renamed(results)
        elif setting.training or how.get("buffers"):
            result, buffers = results
            results = (result, self._renamed(buffers))
        return replace(found, results=results)

    def in_succession(self, settings: Sequence[Setting], learned: Collection[str]) -> list[Any]:
        """What a newly made solution returns, call after call, with shared parameters and everything else its own.

        Args:
            learned: the names of the reference's parameters.

        Raises:
            Failed: it gives no result.
        """
        self._own = self.build(settings[0].init)
        self._built = ""
        shared = {own: name for own, name in (self.names or {}).items() if name in learned}
        return [
            self.sandbox.call(replace(setting, state={own: setting.state[name] for own, name in shared.items()})).results
            for setting in settings
        ]

    def _is_otherwise(self, own: str, name: str, state: State) -> bool:
        """Whether the solution computes a table itself, with other numbers than the reference's; it then keeps its own."""
        if name not in self.tables or own not in self.transient or own not in self._own:
            return False
        found, wanted = self._own[own], state[name]
        if found.shape != wanted.shape or not is_real(found):
            return found.shape != wanted.shape or not equal(found, wanted)
        return bool(((found.double() - wanted.double()).abs() > SEEN * wanted.double().abs().max()).any())

    def _in_own_format(self, own: str, tensor: torch.Tensor) -> torch.Tensor:
        """A buffer of whole numbers in the type that the solution gave it: the reference's indices may have 64 bits."""
        is_whole = not is_real(tensor) and own in self._own and not is_real(self._own[own])
        return tensor.to(self._own[own].dtype) if is_whole else tensor

    def _renamed(self, found: dict[str, Any]) -> dict[str, Any]:
        names = self.names or {}
        return {name: found[own] for own, name in sorted((own, names.get(own, own)) for own in found)}

    def ask(self, setting: Setting, how: How = AS_GIVEN) -> Outcome:
        """Ask: is the solution right here?"""
        try:
            target = self.reference(setting.init)
        except Exception as error:
            return Outcome("no answer", f"the reference can't be made: {type(error).__name__}")
        sides = Sides(self, target, setting, how)
        case = Case(sides.actual, sides.expected, (sides.given, *setting.arguments), declared=self.declared)
        try:
            if how.gradients and (found := self._unasked(sides)):
                return found
            case.known = self._known(setting, *_compared(sides))
            case.deadline = Deadline(min(self.deadline, time.monotonic() + how.within_s))
            answered = self._answered(case, sides)
            return TOO_LATE if sides.late else replace(answered, facts=sides.facts)
        except OutOfTime:
            return self._of_few_runs(case, sides)
        except RunError as error:
            failure = error.__cause__
            if not isinstance(failure, Failed):
                return Outcome("no answer", f"the reference refuses it: {str(failure or error).partition(chr(10))[0][:200]}")
            return self._of_failure(failure, setting)
        except Failed as failure:
            return self._of_failure(failure, setting)
        except Unsendable as error:
            return Outcome("no answer", str(error).partition(" Needed:")[0])
        except InputError as error:
            return self._incomparable(case, sides, str(error).partition(" Needed:")[0])

    def _incomparable(self, case: Case, sides: Sides, words: str) -> Outcome:
        """What it means that there is nothing to compare: the reference may write its results to its arguments, or return no numbers."""
        if not self.outputs and (outputs := self._results(sides.setting)[1]):
            self.outputs = outputs
            return self.ask(sides.setting, sides.how)
        try:
            case.run("expected")
        except (InputError, RunError):
            return Outcome("no answer", RETURNS_NOTHING)
        return Outcome("wrong", words)

    def _results(self, setting: Setting) -> tuple[list[torch.Tensor], tuple[int, ...]]:
        """The tensors that the reference returns, or the arguments that it writes to where it returns none, with their places.

        What the reference raises is passed on.
        """
        given = copied(setting.arguments)
        with torch.no_grad():
            target = self.reference(setting.init)
            results = [*tensors_of(call(target, setting.state, given, setting.keywords, training=setting.training)[0])]
        after = leaves(given)
        places = () if results else tuple(written(leaves(setting.arguments), after))
        return results or [after[place] for place in places], places

    def yardsticks(self, setting: Setting) -> dict[str, float]:
        """How far off the reference would be there in less than the declared precision, see `yardsticks`."""
        known = self._known(setting).facts
        if YARDSTICKS not in known:
            known[YARDSTICKS] = yardsticks(self.reference(setting.init), setting, self.declared)
        return known[YARDSTICKS]

    def _known(self, setting: Setting, *how: Any) -> Known:
        """What is known of the reference there.

        Args:
            how: it is asked.
        """
        given = (setting.init, setting.state, setting.arguments, dict(setting.keywords), setting.training)
        return self.memory.of((*given, self.declared, sorted(self.tables), *how))

    def _of_few_runs(self, case: Case, sides: Sides) -> Outcome:
        """What one run of each side shows where there was no time for a judgement: an error that needs none."""
        if not sides.ran or sides.how.gradients or sides.late or time.monotonic() > self.deadline:
            return TOO_LATE
        case.deadline = None
        words = gross_error(case)
        if not words:
            return TOO_LATE
        if self._differs_by_itself(case, sides):
            return RANDOM_REFERENCE
        note = f"There was no time for a full check, and no need for one: {words}."
        return Outcome("wrong", note, facts=sides.facts, out_of_range=is_out_of_range(case))

    def _differs_by_itself(self, case: Case, sides: Sides) -> bool:
        """Whether a second call of the reference gives other results than the first."""
        with torch.no_grad():
            results = sides.expected(*copied(case.inputs))
        again = Case(Stored(results, self.solution), case.expected.function, case.inputs, declared=self.declared)
        again.known = case.known
        return bool(gross_error(again))

    def _unasked(self, sides: Sides) -> Outcome | None:
        """Why gradients can't be compared; None if they can: then `sides.names` are those that are."""
        setting = sides.setting
        sides.names |= set(self.call(setting, gradients=sides.how.gradients).results) - self.free
        if not sides.names and sides.how.gradients == ALL and not self.wants_gradients:
            return Outcome("no answer", RECORDS_NONE)
        known = self._known(setting, sides.how.gradients).facts
        try:
            if GRADIENTS not in known:
                found = differentiated(
                    sides.target, setting.state, setting.arguments, setting.keywords, training=setting.training, way=sides.how.gradients
                )
                known[GRADIENTS] = {name: bool((gradient != 0).any()) for name, gradient in found.items()}
        except Exception as error:  # whatever the reference raises
            return Outcome("no answer", f"the reference refuses it: {str(error).partition(chr(10))[0][:200]}")
        wanted: dict[str, bool] = known[GRADIENTS]
        if missing := sorted(name for name in wanted.keys() - sides.names - self.free if wanted[name]):
            return Outcome("wrong", f"It records no gradients for {', '.join(missing)}; the reference does.")
        return None if sides.names & wanted.keys() else Outcome("no answer", REFERENCE_RECORDS_NONE)

    def _answered(self, case: Case, sides: Sides) -> Outcome:
        """The answer of the cheapest look that gives one, else of the whole judgement."""
        ran, how = sides.ran, sides.how
        start = time.process_time()  # and not of the clock: a busy machine asks the same
        case.run("expected")
        assert case.known is not None
        self.reference_s = case.known.facts.setdefault(SECONDS, time.process_time() - start)
        if self.reference_s > how.longest_s:
            return Outcome("no answer", f"the reference takes {self.reference_s:.1f} s there, too long for the budget", slow=True)
        taken = case.native("actual").seconds
        if case.watched:  # other runs of the reference tell these too
            case.known = self._known(sides.setting, *_compared(sides), [watched.path for watched in case.watched])
        if why := unusable(case):
            return Outcome("no answer", why)
        if why := undefined(case):
            but = () if how.but or how.gradients or not ran else undefined_places(case, list(tensors_of(ran[0])))
            return self.ask(sides.setting, replace(how, but=but)) if but else Outcome("no answer", why)
        share = more_roundings(case) if how.rounded < 1.0 and ran else 0.0
        if not how.whole and share <= how.rounded and (found := self._quickly(case, sides, taken)):
            return found
        check = self._of_one_run(case, ran[0]) if how.repeated_s > 0 and ran else judged(Gatherer(case, lambda _: None))
        if share > how.rounded and check.acceptable is not False:
            once = "one rounding to 16 bits, at the end, and for none where results are float32"
            asked = f"The problem asks for {once if how.rounded < AFTER_SUMS else 'sums in float32'}"
            words = f"{asked}. {share:.0%} of its results are off by more than that explains, and hardly any of the reference's."
            return Outcome("wrong", words, replace(check, verdict=Verdict.REDUCED_PRECISION))
        if _is_random(check):
            return RANDOM_REFERENCE
        if check.verdict is Verdict.MISTAKE and check.because[:1] == ("scaling",) and (found := _small_enough(case, check)):
            return found
        if self.sandbox.place == CUDA and check.because[:1] in LEANS and _is_within_noise(check):
            words = "its error leans to one side, as those of a GPU's exponentials do, and is no larger than rounding"
            return Outcome("right", words, replace(check, verdict=Verdict.ROUNDING, because=("noise",)))
        if found := _of_exact(case, how, check):
            return found
        if not how.whole and check.acceptable is False and (found := self._excused(case, sides, check)):
            return found
        if how.whole and check.acceptable:
            self._coarser = coarser_than_reference(case)
        answer = "wrong" if check.acceptable is False else "right" if check.acceptable else "no answer"
        return Outcome(answer, "" if answer == "right" else check.reason, check=check)

    def _quickly(self, case: Case, sides: Sides, taken: float) -> Outcome | None:
        """The answer of a look at the numbers, or of one run of a slow solution; None where neither tells."""
        if is_as_good(case, self._coarser):
            return Outcome("right")
        if not sides.ran or taken <= min(self.once_s, sides.how.longest_s / OFTEN):
            return None
        found = self._of_one_run(case, sides.ran[0])
        if _is_random(found):
            return RANDOM_REFERENCE
        if found.acceptable:
            return _of_exact(case, sides.how, found) or Outcome("right", check=found)
        if found.acceptable is False and gross_error(case):  # more calls would change nothing
            return Outcome("wrong", found.reason, check=found)
        return None

    def _excused(self, case: Case, sides: Sides, check: CheckResult) -> Outcome | None:
        """Why digits lost beyond the given inputs are no fault; None if they are."""
        how = sides.how
        if check.because[:1] == ("redraw",) and is_no_farther(case):
            return Outcome("right", "its error leans to one side, and is about as large as that of the reference", check)
        if check.verdict is not Verdict.UNSTABLE:
            return None
        if how.apart is not None and not is_undisturbed(case, self._wide(sides, how.apart)):
            return Outcome("wrong", f"Results that don't depend on the larger numbers lose digits to them. {check.reason}", check)
        if is_close_in_norm(case, how.times, self._usual_size(sides)) or errs_where_nothing_does(check):
            return Outcome("right", "where results are small it keeps fewer digits", check)
        if self._is_backward_stable(case, sides):
            return Outcome("right", "it loses digits where its inputs' own rounding would lose as many", check)
        if is_no_farther(case):
            return Outcome("right", "it loses digits, and about as many as the reference", check)
        return None

    def _usual_size(self, sides: Sides) -> float:
        """The size (rms) of the largest gradient on the inputs of the problem; 0 for results."""
        usual, how = sides.how.usual, sides.how
        if usual is None or not how.gradients:
            return 0.0
        known = self._known(usual, how.gradients).facts
        if SIZE not in known:
            target = self.reference(usual.init)
            found: dict[str, torch.Tensor] = {}
            with contextlib.suppress(Exception):  # whatever the reference raises
                found = differentiated(target, usual.state, usual.arguments, usual.keywords, training=usual.training, way=how.gradients)
            known[SIZE] = max((float(gradient.double().square().mean().sqrt()) for gradient in found.values()), default=0.0)
        size: float = known[SIZE]
        return size if math.isfinite(size) else 0.0

    def _is_backward_stable(self, case: Case, sides: Sides) -> bool:
        """Whether the solution is exact for inputs that differ by a few units of their own rounding: no more can be asked of it."""
        generator = torch.Generator().manual_seed(0)

        def changed(value: torch.Tensor) -> torch.Tensor:
            signs = torch.randint(0, 2, value.shape, generator=generator, dtype=torch.float64) * 2 - 1
            return value.double() * (1 + torch.finfo(value.dtype).eps / 2 * signs)

        results = self._wide(sides, sides.setting.arguments, changed)
        return len(results) == len(case.native("expected").outputs) and is_within(case, results)

    def _wide(
        self, sides: Sides, arguments: tuple[Any, ...], change: Callable[[torch.Tensor], torch.Tensor] = torch.Tensor.double
    ) -> list[Any]:
        """The reference's results, or gradients, in float64 on such arguments; none if its code names float32 itself."""

        def changed(value: Any) -> Any:
            return change(value) if isinstance(value, torch.Tensor) and is_real(value) else value

        state = {**sides.given, **sides.tables}
        try:
            with torch.no_grad():
                found = sides.expected(tree_map(changed, state), *tree_map(changed, arguments))
        except Exception:  # whatever the reference says to another format
            return []
        return [tensor.double().numpy() for tensor in tensors_of(found)]

    def _of_one_run(self, case: Case, results: Any) -> CheckResult:
        """The judgement of results that are not computed again: kernels in an interpreter take seconds a run."""
        once = Case(Stored(results, self.solution), case.expected.function, case.inputs, declared=self.declared)
        once.deadline, once.known = case.deadline, None if case.watched else case.known
        return judged(Gatherer(once, lambda _: None))

    def _of_failure(self, failure: Failed, setting: Setting) -> Outcome:
        """What the failure of a solution means: nothing, if the reference fails too."""
        if failure.kind == LATE:
            return TOO_LATE
        try:
            results, _ = self._results(setting)
        except Exception as error:
            return Outcome("no answer", f"the reference refuses it: {str(error).partition(chr(10))[0][:200]}")
        if not any(tensor.numel() for tensor in results):
            return Outcome("no answer", RETURNS_NOTHING)
        return Outcome("refused" if failure.kind == "raises" else "wrong", failure.words, failure=failure)


def _of_exact(case: Case, how: How, check: CheckResult) -> Outcome | None:
    """Why a jump is wrong: the numbers are exact, and whole ones are asked for; None where it is none, or may be."""
    if not how.exact or check.verdict is not Verdict.FLIP or not is_exact(case):
        return None
    words = "Numbers half-way between two integers are rounded the other way."
    return Outcome("wrong", words, replace(check, verdict=Verdict.MISTAKE))


def _is_random(check: CheckResult) -> bool:
    """Whether the reference itself gives other results each time that it is called."""
    repetition = check.find("repetition")
    return check.verdict is Verdict.NONDETERMINISTIC and repetition is not None and repetition.measured.get("side") == "expected"


def _is_within_noise(check: CheckResult) -> bool:
    noise = check.find("noise")
    return noise is not None and noise.finding is Finding.WITHIN


def _small_enough(case: Case, check: CheckResult) -> Outcome | None:
    """Why an error that stays in float64 is no fault; None if it is one."""
    if is_no_farther(case, 1.0):  # it rounds to the declared precision in a run in float64 as well
        closer = replace(check, verdict=Verdict.ROUNDING)
        return Outcome("right", "it is no farther from exact arithmetic than the reference", closer)
    if _is_as_rounding(check):
        words = "it also differs in float64, but by no more than rounding causes in the declared precision"
        return Outcome("right", words, replace(check, verdict=Verdict.ROUNDING, because=("noise",)))
    return None


def _is_as_rounding(check: CheckResult) -> bool:
    """Whether an error is as small as those of rounding themselves, and not only within their limits.

    Where rounding goes one way or the other (ties), noise is as large as a step, and hides what is asked.
    """
    noise = check.find("noise")
    if noise is None or noise.finding is not Finding.WITHIN or noise.number("rms_in_noise") > AS_ROUNDING:
        return False
    return noise.number("noise_rel_rms") <= FEW_ROUNDINGS * format_named(check.declared).unit_roundoff


def _compared(sides: Sides) -> tuple[Any, ...]:
    """What of a setting's results is compared, and in which form."""
    how = sides.how
    return how.gradients, how.buffers_only, sorted(sides.names), how.but


def _key(init: tuple[Any, ...]) -> str:
    """What constructor arguments are known by; a long tensor is not known by how it prints."""
    return digest(init) if leaves(init) else repr(init)


def _code_of(file: Path) -> types.FunctionType | None:
    """The code of a file, to be inspected and never run; None if it is not Python."""
    try:
        return types.FunctionType(compile(file.read_bytes(), str(file), "exec", dont_inherit=True), {})
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
