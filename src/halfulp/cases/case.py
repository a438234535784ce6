"""Case: what is compared, and every run of it that was made.

A case runs a side once for each variant (precision, kind of input, repetition) and remembers the outcome; evidence and noise
ask it for runs and never call the user's functions themselves.
"""

from __future__ import annotations

import contextlib
import copy
import dataclasses
import functools
import time
import traceback
import zlib
from collections.abc import Callable, Generator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch

from ..arguments import arguments_of, taken_as
from ..differences import Leaf, leaves_of
from ..errors import InputError, RunError, shortened
from ..floats import FLOAT32, FLOAT64, Format, format_named
from ..recording.names import is_of_user
from . import inputs as trees
from .deadline import Deadline
from .effects import (
    Watched,
    are_one_parameter,
    argument_leaves,
    counterparts,
    overwritten,
    same_bits,
    state_leaf,
    watched_inputs,
    watched_state,
)
from .known import Known
from .poison import poisoned
from .precision_modes import Retyping, all_float_dtypes, lifted_dtypes
from .run import Rows, Run, Unavailable, run_of
from .sides import Side, misses_gradients, repeatable, taken_apart
from .state import device_for
from .stored import Stored, as_side
from .troubles import device_advice, missing_device, trouble_with
from .variant import GIVEN, LIFTED, MOVED_WIDELY, NATIVE, SCALED_BY, Change, Inputs, Precision, Variant


def _precision(float_format: Format) -> int:
    return float_format.precision_bits


def _require_a_function(actual: Any, expected: Any, *, gradients: bool) -> None:
    """Refuse two results, and gradients of one."""
    stored = [side for side in (actual, expected) if isinstance(side, Stored)]
    if len(stored) == 2:
        raise InputError(
            f"Got two results, {actual.source} and {expected.source}. Needed: a function for at least one side. Two results alone can't "
            "show whether a difference is rounding: that depends on the function. Pass the callable that computes expected; "
            "halfulp.compare(actual, expected) (`halfulp compare A B`) gives the numbers."
        )
    if stored and gradients:
        raise InputError(
            f"Got gradients=True with a stored result ({stored[0].source}). Needed: two functions. A stored result doesn't contain what "
            "it was computed from. Leave "
            "out gradients=True (--gradients), or have the function return its gradients, and store those too."
        )


class Case:
    """Two implementations, their inputs and the precision they are entitled to.

    Args:
        actual: the implementation under test: a callable or `nn.Module`.
        expected: what it is compared with. One of the two may be a result instead: tensors, arrays, or a `Stored`.
        inputs: a tuple of positional arguments (tensors, arrays, numbers, nested containers, objects that hold them); a single argument
            may stand alone; a dict whose keys are parameters of both sides is keyword arguments.
        declared: the precision that `actual` may use; by default that of the data (see the property).
        reference: a callable of better than working precision, called with the inputs in float64.
        keywords: keyword arguments for both sides.
        gradients: whether gradients of a fixed random combination of the outputs are compared too.
        seed: where random numbers start.

    Attributes:
        deadline: of its runs; None where they may take as long as they do.
        known: where what is found of `expected` is kept for other cases on these inputs, and looked up; None where that is nowhere.
    """

    def __init__(
        self,
        actual: Any,
        expected: Any,
        inputs: Any,
        *,
        declared: object = None,
        reference: Callable[..., Any] | None = None,
        keywords: dict[str, Any] | None = None,
        gradients: bool = False,
        seed: int = 0,
    ) -> None:
        actual, expected = as_side(actual, "actual"), as_side(expected, "expected")
        _require_a_function(actual, expected, gradients=gradients)
        for name, function in (("actual", actual), ("expected", expected)):
            if trouble := trouble_with(function, name):
                raise InputError(trouble)
        self.actual = Side("actual", actual)
        self.expected = Side("expected", expected)
        self.actual.state.borrows(self.expected.state)
        if reference is not None and not callable(reference):
            raise InputError(
                f"Got reference={type(reference).__name__}. Needed: a function of the inputs. It is run on them in float64. "
                "Pass a callable, or leave it out."
            )
        if not isinstance(seed, int) or not 0 <= seed < 2**32:  # pyright: ignore[reportUnnecessaryIsInstance]
            raise InputError(
                f"Got seed={seed!r}. Needed: an integer from 0 to 2**32 - 1, NumPy's range. Every generator starts from it. Pass seed=0."
            )
        self.inputs, self.keywords = arguments_of(inputs, keywords, (actual, expected))
        self.taken_as = taken_as(inputs, self.keywords)
        self.reference = reference
        self.gradients = bool(gradients)
        self.seed = seed
        self._declared = format_named(declared) if declared is not None else None
        self._runs: dict[tuple[str, Variant], Run | Unavailable] = {}
        self._native: dict[str, Run] = {}
        self._rows: dict[str, Rows] = {}
        self._remembered: dict[Any, Any] = {}
        self._moving_weights: dict[str, str] | None = None
        self.deadline: Deadline | None = None
        self.known: Known | None = None

    def remembered(self, measure: Callable[[Case], Any]) -> Any:
        """What a measurement of this case gave when it was first made."""
        if measure not in self._remembered:
            self._remembered[measure] = measure(self)
        return self._remembered[measure]

    def narrowed(self, rows: Mapping[str, Rows]) -> Case:
        """The same case with some rows of large outputs in place of all, in all its runs; runs that were made are narrowed or forgotten.

        Args:
            rows: path of an output -> which rows are kept.
        """
        _ = self.watched, self.shared_state
        native = {name: self.native(name) for name in ("actual", "expected")}
        other = copy.copy(self)
        other._rows, other._remembered, other.known = dict(rows), {}, None
        other._native = {name: dataclasses.replace(run, outputs=tuple(map(other._narrow, run.outputs))) for name, run in native.items()}
        written = {name: self._as_written(name) for name in native}
        known = {**self._runs, **{(name, NATIVE): run for name, run in written.items()}}
        other._runs = {
            key: dataclasses.replace(run, outputs=tuple(map(other._narrow, run.outputs)))
            for key, run in known.items()
            if isinstance(run, Run)
        }
        return other

    def whole(self) -> Case:
        """The same case with all rows again; this one where it has all."""
        if not self._rows:
            return self
        other = copy.copy(self)
        other._rows, other._runs, other._native, other._remembered = {}, {}, {}, {}
        return other

    def _narrow(self, leaf: Leaf) -> Leaf:
        rows = self._rows.get(leaf.path)
        if rows is None or leaf.stored.ndim <= rows.axis or leaf.stored.shape[rows.axis] != rows.length:
            return leaf
        return leaf.rows(rows.axis, rows.places)

    def with_function(self, name: str, function: Callable[..., Any]) -> Case:
        """The same case with another function in place of one side's; what the other side's runs gave is kept, and what is watched.

        Args:
            name: "actual" or "expected". function: it works on the same modules and tensors as the one it stands for.
        """
        _ = self.watched, self.shared_state, self.differentiated if self.gradients else None
        other = copy.copy(self)
        setattr(other, name, self.side(name).with_function(function))
        other._runs = {key: run for key, run in self._runs.items() if key[0] != name}
        other._native, other._remembered = {}, {}
        other.known = None if name == "expected" else self.known
        return other

    @property
    def declared(self) -> Format:
        """The precision that `actual` may use; where none was given, that of the data.

        It is the finest format among the floating-point inputs (of the parameters when there is none), unless `expected` returns
        something coarser: a float16 mask beside float32 data declares nothing.
        """
        if self._declared is None:
            found = trees.float_formats((self.inputs, self.keywords))
            if not found:
                found = trees.float_formats([list(module.parameters()) for side in (self.actual, self.expected) for module in side.modules])
            returned = [leaf.format for leaf in self.native("expected").outputs if leaf.format is not None]
            candidates = [max(found, key=_precision)] if found else []
            candidates += [min(returned, key=_precision)] if returned else []
            self._declared = min(candidates, key=_precision) if candidates else FLOAT32
        return self._declared

    @property
    def storage(self) -> Format:
        """The format that results are stored in: the declared one (tf32 results are stored in float32)."""
        return FLOAT32 if self.declared.name == "tf32" else self.declared

    @property
    def stored(self) -> str:
        """The side that is a stored result, which can't be run again: "actual", "expected"; "" where both are functions."""
        return next((side.name for side in (self.actual, self.expected) if side.stored is not None), "")

    def side(self, name: str) -> Side:
        """The side of that name."""
        return self.actual if name == "actual" else self.expected

    def run(self, name: str, variant: Variant = NATIVE) -> Run | Unavailable:
        """The outcome of one side in one variant, from memory when it was run before.

        Args:
            name: "actual" or "expected" (or "reference", which is always given float64 inputs).
            variant: how to run it.

        Returns:
            The run, or why there is none: variants other than the native one may fail without harm.

        Raises:
            RunError: the native run failed; carries the user's own traceback.
        """
        key = (name, variant)
        if key not in self._runs:
            known = self._known_runs(name)
            run = self._runs[key] = known[variant] if variant in known else self._execute(name, variant)
            if isinstance(run, Run):  # what failed, for lack of memory for one, may not fail again
                known[variant] = run
        return self._runs[key]

    def _known_runs(self, name: str) -> dict[Variant, Run]:
        return self.known.runs if self.known is not None and name == "expected" else {}

    def keep(self, name: str, variant: Variant, run: Run) -> None:
        """Remember a run that was made elsewhere, where none was made here and its outputs are all numbers that rounding may move.

        Ties among integers may be decided otherwise by the parts that composite ops are taken apart into.
        """
        if all(leaf.format is not None for leaf in run.outputs):
            self._runs.setdefault((name, variant), run)
            self._known_runs(name).setdefault(variant, run)

    def forget(self, name: str, variant: Variant) -> None:
        """Drop an outcome that nobody needs again."""
        self._runs.pop((name, variant), None)
        self._known_runs(name).pop(variant, None)

    def native(self, name: str) -> Run:
        """The run as the user wrote it, its effects among the outputs."""
        if name not in self._native:
            run = self._as_written(name)
            afterwards: list[Leaf] = []
            for watched in self.watched:
                own = watched.names[name]
                changed = run.mutated if watched.is_input else run.state
                before = self.side(name).state.saved().get(own)
                if own in changed:
                    afterwards.append(changed[own].owned(watched.path))
                elif before is not None:
                    afterwards.append(state_leaf(before, watched.path))
            self._native[name] = dataclasses.replace(run, outputs=(*run.outputs, *afterwards))
        return self._native[name]

    def elsewhere(self, name: str, inputs: Inputs, *, other_seed: bool = False) -> Run | Unavailable:
        """The run as the user wrote it on other inputs, its effects among the outputs; not remembered.

        Weights move only where no input can, and only those that hold the same bits on both sides: one that is stored in another order, or
        folded, would no longer be that of the other side.

        Args:
            name: "actual" or "expected". inputs: which. other_seed: whether random numbers start elsewhere.
        """
        case = copy.copy(self)
        case.known = None
        case._runs, case._moving_weights = {}, {} if self._inputs_move else self._equal_weights
        case.seed = (self.seed + other_seed) % 2**32
        return case.run(name, Variant(inputs=inputs))

    def _as_written(self, name: str) -> Run:
        run = self.run(name)
        if isinstance(run, Unavailable):
            raise RunError(run.reason)
        return run

    @functools.cached_property
    def watched(self) -> tuple[Watched, ...]:
        """What is compared besides what the functions return: found by running both as written."""
        actual, expected = self._as_written("actual"), self._as_written("expected")
        inputs = watched_inputs(actual, expected)
        return (*inputs, *watched_state(actual.state, expected.state, self.shared_state))

    @functools.cached_property
    def shared_state(self) -> dict[str, str]:
        """The parameters, buffers and captured tensors that both sides have: the name in `actual`, the name in `expected`."""
        return counterparts(self.actual.state.tensors(), self.expected.state.tensors())

    @functools.cached_property
    def differentiated(self) -> dict[str, str]:
        """Those of the shared state whose gradients can be compared: both sides hold the same numbers there."""
        own, peers = self.actual.state.tensors(), self.expected.state.tensors()
        return {name: other for name, other in self.shared_state.items() if are_one_parameter(own[name], peers[other])}

    def arguments(self, side: Side, variant: Variant) -> tuple[Any, dict[str, Any]]:
        """Fresh copies of the inputs for one run."""
        given: Any = (self.inputs, self.keywords)
        change, number = variant.inputs.change, variant.inputs.number
        if change is Change.INTEGERS:
            given = trees.as_small_integers(given, self.seed)
        elif change is Change.IMPULSES:
            given = trees.as_impulses(given, self.seed)
        elif change in (Change.SCALED, Change.DATA_SCALED):
            given = trees.scaled(given, SCALED_BY, spare_flags=change.spares_flags)
        elif change is Change.PERMUTED:
            given = trees.permuted(given, number, self.permutation(number))
        elif change.moves:
            farther = MOVED_WIDELY if change.is_wide else 0.0
            numbers, spare = not self._inputs_move, change.spares_flags
            given = trees.moved_slightly(given, self.seed + 1 + number, farther=farther, numbers=numbers, spare_flags=spare)
        lifting = () if variant.precision is Precision.NATIVE else self.retyping(variant.precision)
        given = trees.copied(given, but=lifting[0]) if lifting else trees.copied(given)
        device = self._device(side, variant)
        if device is not None and device.type == "cpu":  # before the cast: the device that they are on may refuse float64
            given = trees.on_device(given, device)
        if lifting:
            given = trees.cast(given, *lifting)
        if change is Change.FILLED:
            given = trees.filled_up(given, self.seed)
        return trees.on_device(given, device)

    def permutation(self, length: int) -> torch.Tensor:
        """The order in which axes of that length are taken in a "permuted" run."""
        return torch.randperm(length, generator=torch.Generator().manual_seed(self.seed))

    def retyping(self, precision: Precision) -> tuple[frozenset[torch.dtype], torch.dtype]:
        """Which dtypes become which in a run of that precision."""
        if precision is Precision.FLOAT64:
            return lifted_dtypes(self.declared), torch.float64
        if precision is Precision.UNCAST:
            return all_float_dtypes(), torch.float64
        if precision is Precision.BFLOAT16:
            return frozenset([torch.float32]), torch.bfloat16
        return frozenset([torch.float64]), torch.float32

    def lifted_elsewhere(self, name: str) -> str:
        """The device of a side that is lifted on the processor, because its own has no float64; "" where it stays."""
        device = self.side(name).device
        return "" if self._device(self.side(name), LIFTED) == device else str(device)

    def _device(self, side: Side, variant: Variant) -> torch.device | None:
        device = side.device
        if device is None or variant.precision is Precision.NATIVE:
            return device
        return device_for(self.retyping(variant.precision)[1], device)

    def _execute(self, name: str, variant: Variant) -> Run | Unavailable:
        if name == "reference":
            assert self.reference is not None
            side = Side("reference", self.reference)
        else:
            side = self.side(name)
        if side.stored is not None:
            if variant != NATIVE:
                return Unavailable(f"`{name}` is a stored result ({side.stored.source}), which can't be run again")
            peer = self._as_written("expected" if name == "actual" else "actual")
            return side.stored.matched(peer)
        try:
            return self._call(side, variant)
        except InputError:
            raise
        except (Exception, SystemExit) as error:
            if misses_gradients(error) and variant.precision is not Precision.NATIVE and not side.wants_gradients:
                side.wants_gradients = side.eager.wants_gradients = True
                return self._execute(name, variant)
            if variant == NATIVE and name != "reference":
                named = (f"{name}={_describe(argument)}" for name, argument in self.keywords.items())
                shapes = ", ".join([*map(_describe, self.inputs), *named][:8])
                raise RunError(
                    f"Got {type(error).__name__} from `{name}` on the inputs ({shapes}): {shortened(str(error))}\n"
                    f"{_user_traceback(error)}"
                    f"Needed: a call that succeeds. Nothing can be judged before both functions return. "
                    f"Next: {_next_step(error, name, self.taken_as)}"
                ) from error
            if name == "reference":
                raise RunError(
                    f"Got {type(error).__name__} from `reference`: {shortened(str(error))}. Needed: a call on float64 inputs that succeeds."
                ) from error
            first_line = str(error).strip().splitlines()[0][:200] if str(error).strip() else ""
            again = (
                "a second time"
                if variant.repetition
                else f"on {variant.inputs} inputs"
                if variant.inputs != GIVEN
                else f"in {variant.precision}"
            )
            return Unavailable(f"`{name}` does not run {again}: {type(error).__name__}: {first_line}")

    def _call(self, side: Side, variant: Variant) -> Run:
        arguments, keywords = self.arguments(side, variant)
        as_written = variant == NATIVE and side.name != "reference"
        before = trees.copied((arguments, keywords)) if as_written else None
        mutated: dict[str, Leaf] = {}
        handed_back: frozenset[str] = frozenset()
        changed: dict[str, Leaf] = {}
        left_out: list[str] = []
        changes = (variant.poisoned or variant.watched) and not side.is_compiled
        memory = poisoned(torch.nan if variant.poisoned else None) if changes else contextlib.nullcontext()
        precise, moved = self.precision_of(side, variant.precision), self.weights_moved(side, variant.inputs)
        with precise as mode, moved, repeatable(self.seed + max(0, variant.repetition)) as settings, memory:
            start = time.perf_counter()
            result = self.evaluate(side, arguments, keywords)
            seconds = time.perf_counter() - start
            if before is not None:
                returned = leaves_of(result, left_out)
                outputs = tuple(leaf.owned() for leaf in returned)
                mutated, handed_back = overwritten(before, (arguments, keywords), returned)
                changed = {name: state_leaf(tensor, name) for name, tensor in side.state.changed().items()}
            else:
                # NumPy has no bfloat16: what stayed float32, as results of another process do, is read as it is.
                is_coarse = variant.precision is Precision.BFLOAT16
                with torch._C.DisableTorchFunction() if is_coarse else contextlib.nullcontext():  # pyright: ignore[reportPrivateUsage]
                    outputs = self.collected(side, result, arguments, keywords)
        if not outputs:
            leaves_of(result)  # says what it is, where it is something without numbers
            raise InputError(
                f"Got no tensors from `{side.name}`. Needed: a function that returns what is to be compared. Without tensors there is "
                "nothing to judge. Return the tensors, including any that are changed in place."
            )
        if mode is None:
            return Run(
                outputs, mutated, changed, (), replaced=(), seconds=seconds, settings=tuple(settings), left_out=tuple(left_out),
                handed_back=handed_back,
            )  # fmt: skip
        return run_of(outputs, mode, seconds, tuple(settings))

    def collected(self, side: Side, result: Any, arguments: Any, keywords: dict[str, Any]) -> tuple[Leaf, ...]:
        """What is compared after a call, in memory of its own: what it returned and what is watched (before state is put back)."""
        found = [self.kept(leaf) for leaf in leaves_of(result, [])]
        if side.name != "reference" and self.watched:
            inputs, state = argument_leaves((arguments, keywords)), side.state.current()
            for watched in self.watched:
                own = watched.names[side.name]
                if watched.is_input and own in inputs:
                    found.append(self._narrow(inputs[own].owned(watched.path)))
                elif not watched.is_input and own in state:
                    found.append(self._narrow(state_leaf(state[own], watched.path)))
        return tuple(found)

    def kept(self, leaf: Leaf) -> Leaf:
        """In memory of its own: all of it, or the rows that are looked at."""
        return self._narrow(leaf) if leaf.path in self._rows else leaf.owned()

    def weights_moved(self, side: Side, inputs: Inputs) -> contextlib.AbstractContextManager[None]:
        """The parameters and buffers that both sides have, those of both alike, moved as the inputs are.

        Where inputs are "moved widely", or where no input can move (tokens are whole numbers).
        """
        widely = inputs.change.is_wide
        if side.name == "reference" or not (widely or (inputs.change.moves and not self._inputs_move)):
            return contextlib.nullcontext()
        moving = self._owned_weights if self._moving_weights is None else self._moving_weights
        names = moving if side.name == "actual" else {name: name for name in moving.values()}

        def changed(name: str, tensor: torch.Tensor) -> torch.Tensor:
            if name not in names:
                return tensor
            own = zlib.crc32(f"{self.seed} {inputs} {names[name]}".encode())
            return trees.moved_slightly(tensor, own, farther=MOVED_WIDELY if widely else 0.0)

        return side.state.exchanged(changed)

    @property
    def _owned_weights(self) -> dict[str, str]:
        """Those that modules hold on both sides: what a function has captured stays, and so does what the other side makes of it."""
        own, peers = self.actual.state.owned, self.expected.state.owned
        return {name: other for name, other in self.shared_state.items() if name in own and other in peers}

    @property
    def _equal_weights(self) -> dict[str, str]:
        own, peers = self.actual.state.owned, self.expected.state.owned
        return {name: other for name, other in self._owned_weights.items() if same_bits(own[name], peers[other])}

    @functools.cached_property
    def _inputs_move(self) -> bool:
        return trees.can_move((self.inputs, self.keywords))

    @contextlib.contextmanager
    def precision_of(self, side: Side, precision: Precision) -> Generator[Retyping | None]:
        """Everything that makes a side compute in a precision: its parameters, the dtypes it names, fused kernels taken apart.

        Whatever the side changes in its state meanwhile is undone.
        """
        if precision is Precision.NATIVE:
            with side.unchanged():
                yield None
            return
        _ = self.watched  # found by running both sides as written, before anything is exchanged
        sources, target = self.retyping(precision)
        with side.state.retyped(sources, target, gradients=self.gradients or side.wants_gradients), taken_apart():
            if side.is_compiled:  # a mode would have it compiled again and look inside nothing
                yield None
                return
            with Retyping(sources, target, getattr(torch, self.declared.name, torch.float32)) as mode:
                yield mode

    def evaluate(self, side: Side, arguments: Any, keywords: dict[str, Any]) -> Any:
        """Call the side's function; with gradients asked for, return them beside its outputs.

        Raises:
            OutOfTime: the case has a deadline, and the call would end after it.
        """
        with self.timed(side):
            return self._evaluated(side, arguments, keywords)

    def timed(self, side: Side) -> contextlib.AbstractContextManager[None]:
        """What a run of a side is made in, so that the deadline is kept."""
        return contextlib.nullcontext() if self.deadline is None else self.deadline.run(side.name)

    def _evaluated(self, side: Side, arguments: Any, keywords: dict[str, Any]) -> Any:
        if not self.gradients or side.name == "reference":
            return side.function(*arguments, **keywords)
        from .gradients import with_gradients

        tensors = side.state.tensors()
        wanted: dict[str, torch.Tensor] = {}
        for pair in self.differentiated.items():
            tensor = tensors[pair[0] if side.name == "actual" else pair[1]]
            if tensor.is_leaf and tensor.requires_grad:
                wanted[pair[1]] = tensor
        return with_gradients(side.function, arguments, keywords, self.seed, wanted)

    def outputs_match(self) -> bool:
        """Whether both sides return the same paths with the same shapes."""
        sides = [{leaf.path: leaf.shape for leaf in self.native(name).outputs} for name in ("actual", "expected")]
        return sides[0] == sides[1]

    @property
    def finest(self) -> Precision:
        """The precision beyond the declared one that both sides can be lifted to; as written when float64 itself is declared."""
        return Precision.NATIVE if self.declared == FLOAT64 else Precision.FLOAT64


def _next_step(error: BaseException, name: str, taken_as: str) -> str:
    if "device_ready_queues_" in str(error):
        return (
            "import the package that provides the device (torch_directml) before the first backward pass of the process; PyTorch counts "
            "devices at that point."
        )
    if device := missing_device(error):
        return device_advice(device, f"`{name}`")
    if taken_as:
        return f"{taken_as} Or call {name} alone, on the same arguments, to see where it fails."
    if _is_code_of_numpy(error):
        return (
            f'`{name}` received PyTorch tensors. If it is NumPy code, pass halfulp.backend("numpy").implement({name}), which gives it '
            f"arrays. Or call {name}(*inputs) by itself."
        )
    return f"call {name}(*inputs) by itself."


def _is_code_of_numpy(error: BaseException) -> bool:
    """Whether the user's code failed in a file that imports NumPy, at a method or an argument that is not there."""
    if not isinstance(error, (TypeError, AttributeError)):
        return False
    frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__) if is_of_user(frame.f_code.co_filename)]
    return bool(frames) and any(value is np for value in frames[-1].f_globals.values())


def _describe(value: Any) -> str:
    with contextlib.suppress(RuntimeError):  # a nested tensor has no shape
        if isinstance(value, torch.Tensor) or hasattr(value, "dtype"):
            return f"{str(value.dtype).removeprefix('torch.')}{list(value.shape)}"
    return type(value).__name__


def _user_traceback(error: BaseException) -> str:
    """The frames of the traceback that are not halfulp's own."""
    package = str(Path(__file__).parents[1])
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if not frame.filename.startswith(package)]
    return shortened("".join(traceback.format_list(frames[-6:]))) + "\n" if frames else ""
