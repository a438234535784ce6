"""Trials: a setting is asked of a solution and the reference; a quick look at the numbers, and the whole judgement where it is needed."""

from __future__ import annotations

import hashlib
import math
import time
import types
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch

from ..cases import LIFTED, Case, Run
from ..cases.stored import Stored
from ..cases.trees import tensors_of, tree_map
from ..differences import Leaf
from ..errors import InputError, RunError
from ..floats import FLOAT32, Format
from ..verdicts.checker import judged
from ..verdicts.gatherer import Gatherer
from ..verdicts.result import CheckResult
from ..verdicts.verdict import Verdict
from .calls import Setting, State, call, copied, differentiated
from .sandbox import Called, Failed, Sandbox

FARTHER = 2.0
"""A solution whose rms error is at most so many times that of the reference, and an ulp more, is not looked at closer: orders and libraries
differ by up to 4 (`halfulp.reports.text.advice.MUCH_CLOSER`)."""
AN_ELEMENT = 8.0
"""As much for single elements, of which `FEW` may be farther: the error of the reference happens to be small somewhere."""
FEW = 1e-3
OFTEN = 6.0
"""A whole judgement runs the solution about ten times, and sixty questions are asked: a slower run than this part of what the reference may
take (a hundredth of the budget) would use up the budget, and is looked at by itself first."""
USABLE = 1e-2
"""Where the reference itself is off by more of its size in the declared precision, nothing can be asked of a solution."""


@dataclass(frozen=True, eq=False)
class Outcome:
    """What a trial gave.

    Attributes:
        answer: "right", "wrong", "refused" or "no answer", see `Asked`. note: why.
        check: the judgement, where one was made. failure: what the solution failed with. facts: what its process saw of the call.
    """

    answer: str
    note: str = ""
    check: CheckResult | None = None
    failure: Failed | None = None
    facts: dict[str, Any] = field(default_factory=dict)


class _There:
    """What is called in another process: it holds nothing of this one, neither the reference nor its tables. Slots aren't looked into."""

    __slots__ = ("call",)

    def __init__(self, call: Callable[..., Any]) -> None:
        self.call = call


class Trials:
    """Asks settings of one solution.

    Args:
        make: the reference for what a constructor gets. sandbox: the solution. declared: the precision, None for that of the data.
        build: makes the solution for what a constructor gets, and gives its own state. solution: its name.

    Attributes:
        names: the solution's name of each parameter and buffer -> the reference's; None where they can't be shared.
        tables: buffers that are no inputs, see `tables_of`: they are not moved, permuted or scaled.
        free: inputs whose gradients are not asked: where a matrix is promised to be triangular, those of the other half are anybody's.
    """

    def __init__(
        self,
        make: Callable[[tuple[Any, ...]], Any],
        sandbox: Sandbox,
        *,
        build: Callable[[tuple[Any, ...]], State],
        declared: str | None,
        solution: str,
    ) -> None:
        self.make, self.sandbox, self.build, self.declared, self.solution = make, sandbox, build, declared, solution
        self.free: set[str] = set()
        self.tables: frozenset[str] = frozenset()
        self._code = _code_of(sandbox.solution)
        self.names: dict[str, str] | None = {}
        self._made: dict[str, Any] = {}
        self._built = ""
        self._own: State = {}

    def reference(self, init: tuple[Any, ...]) -> Any:
        """The reference for what its constructor gets; made once."""
        key = repr(init)
        if key not in self._made:
            self._made = {key: self.make(init)}
        return self._made[key]

    def call(self, setting: Setting, **how: Any) -> Called:
        """One call of the solution, with the parameters of the setting under its own names.

        Args:
            how: see `Sandbox.call`.

        Raises:
            Failed: it gives no result.
        """
        if repr(setting.init) != self._built:
            self._own = self.build(setting.init)
            self._built = repr(setting.init)
        state = setting.state
        if self.names is None:
            kinds = [tensor.dtype for tensor in state.values() if tensor.is_floating_point()]
            state = {name: tensor.to(kinds[0]) if kinds and tensor.is_floating_point() else tensor for name, tensor in self._own.items()}
        elif self.names:
            state = {own: state[name] for own, name in self.names.items() if name in state}
        found = self.sandbox.call(replace(setting, state=state), **how)
        results: Any = found.results
        if how.get("gradients"):
            results = self._renamed(results)
        elif setting.training:
            result, buffers = results
            results = (result, self._renamed(buffers))
        return Called(results, found.facts)

    def _renamed(self, found: dict[str, Any]) -> dict[str, Any]:
        names = self.names or {}
        return {name: found[own] for own, name in sorted((own, names.get(own, own)) for own in found)}

    def ask(
        self, setting: Setting, *, whole: bool = False, gradients: bool = False, same_memory: bool = False, repeated_s: float = 0.0,
        buffers_only: bool = False, longest_s: float = math.inf,
    ) -> Outcome:  # fmt: skip
        """Is the solution right here?

        Args:
            setting: on what. whole: make the whole judgement in any case. gradients: of the gradients. same_memory, repeated_s: see
                `Sandbox.call`. buffers_only: of the buffers that training mode changes.
            longest_s: nothing is asked where the reference takes longer; a solution that is slow is judged by one run first.
        """
        try:
            target = self.reference(setting.init)
        except Exception as error:
            return Outcome("no answer", f"the reference can't be made: {type(error).__name__}")

        def asked(state: Any, *arguments: Any) -> Any:
            lifted = _lifted((state, arguments), setting, self.declared)
            state = {**state, **_kept_at(tables, lifted)}
            key = "" if whole or same_memory else f"{lifted} {_digest((state, arguments))}"
            if key in known:
                return known[key]
            found = self.call(
                replace(setting, arguments=arguments, state=state), lifted=lifted, gradients=gradients, same_memory=same_memory,
                repeated_s=0.0 if lifted else repeated_s,
            )  # fmt: skip
            results = {name: found.results[name] for name in found.results if name in names} if gradients else found.results
            results = results[1] if buffers_only else results
            if not lifted and not ran:
                ran.append(results)
                facts.append(found.facts)
            if key:
                known[key] = results
            return results

        def expected(state: Any, *arguments: Any) -> Any:
            if gradients:
                found: Any = differentiated(target, state, arguments, setting.keywords, training=setting.training)
                return {name: found[name] for name in sorted(names & found.keys())}
            results, buffers = call(target, state, arguments, setting.keywords, training=setting.training)
            return buffers if buffers_only else (results, buffers) if setting.training else results

        there = _There(asked)

        def actual(state: Any, *arguments: Any) -> Any:
            # What is done here with tensors, to send them, is no op of the solution's.
            with torch._C._DisableTorchDispatch(), torch._C.DisableTorchFunction():  # pyright: ignore[reportPrivateUsage]
                return there.call(state, *arguments)

        actual.__name__ = self.solution
        setattr(actual, "target", self._code)  # noqa: B010  # what the judgement reads of code whose ops it can't see
        # The reference holds its tables itself, so that the judgement knows them for what they are.
        tables = {name: tensor for name, tensor in setting.state.items() if name in self.tables}
        given = {name: tensor for name, tensor in setting.state.items() if name not in tables}
        names: set[str] = set()
        ran: list[Any] = []
        known: dict[str, Any] = {}  # that a solution agrees with itself is asked on the given inputs, and in sequence
        facts: list[dict[str, Any]] = []
        try:
            if gradients:
                names |= set(self.call(setting, gradients=True).results) - self.free
                if not names:
                    return Outcome("no answer", "it records no gradients")
                try:
                    wanted = differentiated(target, setting.state, setting.arguments, setting.keywords, training=setting.training)
                except Exception as error:  # whatever the reference raises
                    return Outcome("no answer", f"the reference refuses it: {str(error).partition(chr(10))[0][:200]}")
                if not names & wanted.keys():
                    return Outcome("no answer", "the reference records no gradients")
                if missing := sorted(wanted.keys() - names - self.free):
                    return Outcome("wrong", f"It records gradients, but none for {', '.join(missing)}; the reference does.")
            case = Case(actual, expected, (given, *setting.arguments), declared=self.declared)
            answered = self._answered(case, ran, whole=whole, once=repeated_s > 0, longest_s=longest_s)
            return replace(answered, facts=facts[0] if facts else {})
        except RunError as error:
            failure = error.__cause__
            if not isinstance(failure, Failed):
                return Outcome("no answer", f"the reference refuses it: {str(failure or error).partition(chr(10))[0][:200]}")
            return self._of_failure(failure, setting)
        except Failed as failure:
            return self._of_failure(failure, setting)
        except InputError as error:
            return Outcome("wrong", str(error).partition(" Needed:")[0])

    def _answered(self, case: Case, ran: list[Any], *, whole: bool, once: bool, longest_s: float) -> Outcome:
        """The cheapest look that answers; the whole judgement where none does.

        Args:
            ran: what the solution returned, once it ran as it is. whole, longest_s: see `ask`. once: that result alone is judged.
        """
        start = time.process_time()  # and not of the clock: a busy machine asks the same
        case.native("expected")
        if (taken := time.process_time() - start) > longest_s:
            return Outcome("no answer", f"the reference takes {taken:.1f} s there, too long for the budget")
        taken = case.native("actual").seconds
        if why := _unusable(case) or _undefined(case):
            return Outcome("no answer", why)
        if not whole:
            if _is_as_good(case):
                return Outcome("right")
            if taken > longest_s / OFTEN and ran and (found := self._of_one_run(case, ran[0])).acceptable:
                return Outcome("right", check=found)
        check = self._of_one_run(case, ran[0]) if once and ran else judged(Gatherer(case, lambda _: None))
        if not whole and check.verdict is Verdict.UNSTABLE and (_is_close_in_norm(case) or _errs_where_nothing_does(check)):
            return Outcome("right", "where results are small it keeps fewer digits", check=check)
        if not whole and check.verdict is Verdict.UNSTABLE and _is_no_farther(case):
            return Outcome("right", "it loses digits, and about as many as the reference", check=check)
        if not whole and check.acceptable is False and check.because[:1] == ("redraw",) and _is_no_farther(case):
            return Outcome("right", "its error leans to one side, and is about as large as that of the reference", check=check)
        answer = "wrong" if check.acceptable is False else "right" if check.acceptable else "no answer"
        return Outcome(answer, "" if answer == "right" else check.reason, check=check)

    def _of_one_run(self, case: Case, results: Any) -> CheckResult:
        """The judgement of results that are not computed again: kernels in an interpreter take seconds a run."""
        once = Case(Stored(results, self.solution), case.expected.function, case.inputs, declared=self.declared)
        return judged(Gatherer(once, lambda _: None))

    def _of_failure(self, failure: Failed, setting: Setting) -> Outcome:
        """What a solution that gave no result shows: nothing where the reference gives none either."""
        try:
            with torch.no_grad():
                given = copied(setting.arguments)
                results = call(self.reference(setting.init), setting.state, given, setting.keywords, training=setting.training)[0]
        except Exception as error:
            return Outcome("no answer", f"the reference refuses it: {str(error).partition(chr(10))[0][:200]}")
        if not any(tensor.numel() for tensor in tensors_of(results)):
            return Outcome("no answer", RETURNS_NOTHING)
        return Outcome("refused" if failure.kind == "raises" else "wrong", failure.words, failure=failure)


def _code_of(file: Path) -> types.FunctionType | None:
    """The code of a file, to be looked at and never run; None where it is no Python."""
    try:
        return types.FunctionType(compile(file.read_bytes(), str(file), "exec", dont_inherit=True), {})
    except (SyntaxError, ValueError):
        return None


def _kept_at(tables: State, lifted: str) -> State:
    """Tables in the precision of a run."""
    return {name: tensor.double() if lifted and tensor.is_floating_point() else tensor for name, tensor in tables.items()}


def _digest(given: Any) -> str:
    """What tells nested arguments from others: numbers, and the bytes of tensors."""
    digest = hashlib.blake2b(repr(tree_map(_signature, given)).encode(), digest_size=16)
    for tensor in tensors_of(given):
        plain = torch.view_as_real(tensor.resolve_conj()) if tensor.is_complex() else tensor
        digest.update(plain.detach().contiguous().view(-1).view(torch.uint8).numpy().data if tensor.numel() else b"")
    return digest.hexdigest()


def _signature(value: Any) -> Any:
    return (str(value.dtype), tuple(value.shape), value.stride()) if isinstance(value, torch.Tensor) else value


def _lifted(given: Any, setting: Setting, declared: str | None) -> str:
    """The precision that a run in float64 stands for; "" for a run as written."""
    native = [tensor.dtype for tensor in tensors_of((setting.state, setting.arguments)) if tensor.is_floating_point()]
    now = [tensor.dtype for tensor in tensors_of(given) if tensor.is_floating_point()]
    if torch.float64 not in now or torch.float64 in native:
        return ""
    return declared or str(max(native, key=lambda dtype: -torch.finfo(dtype).eps)).removeprefix("torch.")


def _leaves(case: Case) -> list[tuple[Leaf, Leaf, Leaf]] | None:
    """Each output of the solution, of the reference, and of the reference in float64; None where the two don't match."""
    exact = case.run("expected", LIFTED)
    wanted = case.native("expected").outputs
    found, finer = case.native("actual").by_path, exact.by_path if isinstance(exact, Run) else {}
    if set(found) != {leaf.path for leaf in wanted}:
        return None
    triples = [(found[leaf.path], leaf, finer.get(leaf.path, leaf)) for leaf in wanted]
    return triples if all(a.shape == e.shape == x.shape and a.dtype == e.dtype for a, e, x in triples) else None


RETURNS_NOTHING = "the reference returns nothing"


def _unusable(case: Case) -> str:
    """Why nothing can be asked here: the reference leaves the range of its format, or is far off itself; "" where it can."""
    exact = case.run("expected", LIFTED)
    if not isinstance(exact, Run):
        return ""
    if not any(leaf.stored.size for leaf in case.native("expected").outputs):
        return RETURNS_NOTHING
    for leaf in case.native("expected").outputs:
        finer = exact.by_path.get(leaf.path)
        if leaf.format is None or finer is None or finer.shape != leaf.shape or not leaf.stored.size:
            continue
        with np.errstate(all="ignore"):
            plain, wide = leaf.float64(), finer.float64()
            if not np.array_equal(np.isfinite(plain), np.isfinite(wide)):
                return f"the reference leaves the range of {leaf.format.name}"
            usable = np.isfinite(wide)
            size = float(np.sqrt(np.mean(np.square(wide[usable])))) if usable.any() else 0.0
            off = float(np.sqrt(np.mean(np.square((plain - wide)[usable])))) if usable.any() else 0.0
        if size and off > USABLE * size and leaf.format.precision_bits >= 24:
            return "the reference itself loses nearly all digits"
    return ""


def _undefined(case: Case) -> str:
    """Why nothing can be asked here: the reference gives NaN where the solution gives a number; "" where it doesn't.

    Inputs that hold NaN are another thing: what is made of these is asked, and decides nothing.
    """
    for found, wanted, _ in _leaves(case) or []:
        if wanted.format is not None and found.format is not None:
            nothing, some = np.isnan(wanted.float64()), np.isnan(found.float64())
            if (nothing & ~some).any() and not (some & ~nothing).any():
                return "the reference gives NaN there"
    return ""


def _is_close_in_norm(case: Case) -> bool:
    """Whether every output is off by a few units of its size at most: what is lost is lost where results are small beside the others."""
    triples = _leaves(case) or []
    for found, _, exact in triples:
        a, x = found.float64(), exact.float64()
        if found.format is None or not np.isfinite(a).all() or not np.isfinite(x).all():
            return False
        if np.sqrt(np.mean((a - x) ** 2)) > AN_ELEMENT * found.format.unit_roundoff * np.sqrt(np.mean(x**2)):
            return False
    return bool(triples)


def _errs_where_nothing_does(check: CheckResult) -> bool:
    """Whether there are elements that no rounding reaches, zeros for the most part, and all is within the noise beside the whole.

    The gradient of a gate that is applied to nothing is zero; as the difference of two sums it is zero up to their rounding.
    """
    noise = check.find("noise")
    return noise is not None and math.isinf(noise.number("rms_in_noise")) and noise.number("norm_in_noise") <= 1.0


def _is_no_farther(case: Case) -> bool:
    """Whether the rms error of every output is at most `FARTHER` times that of the reference."""
    triples = _leaves(case) or []
    errors = [(found.float64() - exact.float64(), wanted.float64() - exact.float64()) for found, wanted, exact in triples]
    with np.errstate(all="ignore"):
        return bool(triples) and all(np.mean(own**2) <= FARTHER**2 * np.mean(other**2) for own, other in errors)


def _unit(exact: Any, form: Format) -> Any:
    """Half an ulp of each number; the smallest normal number of float32's range where it is subnormal, as devices take zero for these."""
    smallest, size = math.ldexp(1.0, form.exponent_min) if form.exponent_min <= FLOAT32.exponent_min else 0.0, np.abs(exact)
    return np.where(size < smallest, smallest, form.unit_roundoff * size)


def _is_as_good(case: Case) -> bool:
    """Whether the solution is about as close to exact arithmetic as the reference, in every output."""
    triples = _leaves(case)
    if triples is None:
        return False
    for found, wanted, exact in triples:
        if found.has_bytes_of(wanted):
            continue
        if found.format is None:
            return False
        with np.errstate(all="ignore"):
            a, e, x = found.float64(), wanted.float64(), exact.float64()
            if not np.array_equal(np.isfinite(a), np.isfinite(e)) or not np.array_equal(np.isnan(a), np.isnan(e)):
                return False
            usable = np.isfinite(x) & np.isfinite(a)
            if not usable.any():
                continue
            own, other, unit = np.abs(a - x)[usable], np.abs(e - x)[usable], _unit(x[usable], found.format)
            far = own > AN_ELEMENT * (other + unit)
            if np.sqrt(np.mean(own**2)) > FARTHER * np.sqrt(np.mean(other**2)) + np.sqrt(np.mean(unit**2)) or far.mean() > FEW:
                return False
    return True
