"""Implementation: a target on a backend, as a callable. It builds a program for each kind of inputs, and keeps it."""

from __future__ import annotations

import contextlib
import tempfile
from collections import OrderedDict
from collections.abc import Generator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from torch import nn
from torch.overrides import (  # pyright: ignore[reportPrivateUsage, reportAttributeAccessIssue, reportPrivateImportUsage]
    _len_torch_function_stack,  # pyright: ignore[reportPrivateUsage, reportAttributeAccessIssue, reportPrivateImportUsage]
    _pop_mode_temporarily,  # pyright: ignore[reportPrivateUsage, reportAttributeAccessIssue, reportPrivateImportUsage]
)
from torch.utils._python_dispatch import _disable_current_modes  # pyright: ignore[reportPrivateUsage]
from torch.utils._pytree import tree_flatten, tree_map

from ..errors import HalfulpError, InputError, MissingBackend, Unsupported
from ..process.alone import quiet
from ..process.settings import RANDOM, put_back, readings
from ..recording.summary import hash_of
from ..recording.transcript import transcribe
from ..traces import Trace
from .arrays import as_numpy, as_tensor, is_array, owned
from .builder import Builder
from .knobs.knob import Knob
from .knobs.options import knobs_of
from .program import Program

if TYPE_CHECKING:
    from collections.abc import Sequence

KEPT = 16
"""Programs kept: more than `check` has kinds of inputs (its own, in float64, and with an axis cut off), fewer than fill a memory."""


class Implementation:
    """A target on a backend.

    Called with tensors or arrays it returns the same kind, in memory of its own; nothing that watches PyTorch sees inside.

    Args:
        adapter: the backend. target: see `Backend.implement`. options: all of them.
    """

    def __init__(self, adapter: Builder, target: Any, options: Mapping[str, str]) -> None:
        self.adapter = adapter
        # What `check` looks for behind a callable: only a module's weights can be moved, since only theirs are looked at before a run.
        self.module = target if isinstance(target, nn.Module) else None
        self._kept = _Kept(target)
        self.options = dict(options)
        self._programs: OrderedDict[Any, Program] = OrderedDict()

    @property
    def target(self) -> Any:
        """What is implemented."""
        return self._kept.target

    def __repr__(self) -> str:
        settings = "".join(f", {name}={value}" for name, value in self.options.items())
        return f"<{getattr(self.target, 'op_name', type(self.target).__name__)} on {self.adapter.name}{settings}>"

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        """What the backend computes.

        Raises:
            Unsupported: it can't implement the target for these inputs. WorkerError: its process failed.
        """
        given, tensors = _taken(arguments, keywords)
        with _unwatched():
            program = self._program(*given, tensors)
            results = program.run(tensors)
            return _handed_back(program, results, arguments, keywords)

    @property
    def builds_slowly(self) -> bool:
        """Whether building a program takes as long as hundreds of runs of it."""
        return self.adapter.builds_slowly

    @property
    def rounds_constants(self) -> bool:
        """Whether a program of float64 holds constants that were rounded to float32."""
        return self.adapter.rounds_constants

    def with_options(self, **options: str) -> Implementation:
        """The same target with other options."""
        return Implementation(self.adapter, self.target, self.adapter.checked({**self.options, **options}))

    def knobs(self) -> tuple[Knob, ...]:
        """What can be changed about it: every other value of its options."""
        return knobs_of(self.adapter.options, self.options)

    def remarks(self, *arguments: Any, **keywords: Any) -> tuple[str, ...]:
        """What the backend does otherwise than asked on such inputs, in words."""
        given, tensors = _taken(arguments, keywords)
        with _unwatched():
            return self._program(*given, tensors).remarks

    def record(self, inputs: Sequence[Any], path: str | Path | None = None, *, keywords: Mapping[str, Any] | None = None) -> Trace:
        """What it computes on these inputs, value by value.

        Args:
            inputs: the arguments. path: the folder to write; a temporary one for as long as the trace lives by default.

        Raises:
            Unsupported: the backend shows nothing of its inside.
        """
        arguments, words = tuple(inputs), dict(keywords or {})
        given, tensors = _taken(arguments, words)
        with _unwatched():
            program = self._program(*given, tensors)
            if program.watch is None:
                raise Unsupported(
                    f"Got {self!r} to record. Needed: a backend that gives intermediate values. For this op, function or model, {self.adapter.title or self.adapter.name} gives only final results. Compare results with halfulp.check."
                )
            watched = program.watch(tensors)
        names = [*_paths(arguments, "inputs"), *_paths(words, "keywords")]
        outputs = {name: owned(tensor) for name, tensor in zip(_output_paths(program, watched.outputs), watched.outputs)}
        settings = {**self.adapter.fingerprint(), **{f"option {name}": value for name, value in self.options.items()}}
        kept = None if path is not None else tempfile.TemporaryDirectory(prefix="halfulp-")
        trace = transcribe(
            Path(kept.name) / "run.trace" if kept is not None else str(path), inputs=dict(zip(names, tensors)), weights=watched.weights,
            values=watched.values, outputs=outputs, settings=settings, notes=(*program.remarks, *watched.notes),
            in_other_layouts=watched.in_other_layouts,
        )  # fmt: skip
        if kept is not None:
            import weakref

            weakref.finalize(trace, kept.cleanup)
        return trace

    def _program(self, arguments: tuple[Any, ...], keywords: Mapping[str, Any], tensors: list[torch.Tensor]) -> Program:
        self._refuse_foreign_dtypes([tensor for tensor in tensors if tensor.is_floating_point()] or self._weights())
        key = self._signature(arguments, keywords)
        if key not in self._programs:
            self._refuse_where_missing()
            try:
                with _undisturbed() if self.adapter.computes_here else contextlib.nullcontext():
                    self._programs[key] = self.adapter.build(self.target, arguments, keywords, self.options)
            except (HalfulpError, KeyboardInterrupt):
                raise
            except Exception as error:
                first = (str(error).strip().splitlines() or [""])[0][:300]
                raise Unsupported(
                    f"Got {type(error).__name__} from {self.adapter.name} while building {self!r}: {first}. Needed: an op, function or model that the backend accepts. The backend's own message says what is missing. Compare with another backend, or change the op, function or model."
                ) from error
            while len(self._programs) > KEPT:
                self._programs.popitem(last=False)
        self._programs.move_to_end(key)
        return self._programs[key]

    def _refuse_where_missing(self) -> None:
        state = self.adapter.availability() if self.adapter.computes_here else None
        if state is not None and not state:
            raise MissingBackend(
                f"Got {self.adapter.name}, which can't be used here: {state.reason}. Needed: {self.adapter.title or self.adapter.name}. Nothing can be computed without it. {'Install it with ' + state.install if state.install else 'Provide what is missing, or run this on a machine where it can be used'}."
            )

    def _refuse_foreign_dtypes(self, tensors: list[torch.Tensor]) -> None:
        for tensor in tensors:
            name = str(tensor.dtype).removeprefix("torch.")
            known = self.adapter.dtypes_with(self.options)
            if name not in known:
                raise Unsupported(
                    f"Got {name} for {self.adapter.name}. Needed: {', '.join(known)}. Otherwise the backend would compute in a different format, or with different kernels, than you asked for. Convert the inputs first."
                )

    def _weights(self) -> list[torch.Tensor]:
        """What decides the format where the inputs are indices."""
        return (
            [parameter for parameter in self.target.parameters() if parameter.is_floating_point()]
            if isinstance(self.target, nn.Module)
            else []
        )

    def _signature(self, arguments: Any, keywords: Any) -> Any:
        leaves, structure = tree_flatten((arguments, keywords))
        kinds = tuple((leaf.dtype, tuple(leaf.shape)) if isinstance(leaf, torch.Tensor) else _Constant(leaf) for leaf in leaves)
        return str(structure), kinds, state_of(self.target) if self.adapter.holds_weights else None


class _Constant:
    """What is given beside arrays, as part of a key: by its value, and objects that say nothing of theirs by which they are."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, _Constant) or type(self.value) is not type(other.value):
            return False
        if isinstance(self.value, (float, complex)):  # zeros of either sign differ, and NaN is NaN
            return repr(self.value) == repr(other.value)
        try:
            return self.value is other.value or bool(self.value == other.value)
        except Exception:  # whatever an object's comparison does
            return False

    def __hash__(self) -> int:
        return hash(type(self.value))


class _Kept:
    """Holds a target out of sight."""

    def __init__(self, target: Any) -> None:
        self.target = target


def state_of(target: Any) -> Any:
    """What changes when a module's numbers change: a program built from them is of no use then."""
    if isinstance(target, nn.Module):
        tensors = {**dict(target.named_parameters()), **dict(target.named_buffers())}
        modes = tuple(part.training for part in target.modules())
        return modes, tuple(
            (name, parameter.dtype, tuple(parameter.shape), hash_of(parameter.detach().contiguous())) for name, parameter in tensors.items()
        )
    if isinstance(target, (str, Path)) and Path(target).is_file():
        found = Path(target).stat()
        return found.st_mtime_ns, found.st_size
    return None


def _taken(arguments: Any, keywords: Any) -> tuple[tuple[Any, dict[str, Any]], list[torch.Tensor]]:
    """The inputs with tensors on the CPU in place of arrays, and these tensors in order."""
    tensors: list[torch.Tensor] = []

    def take(value: Any) -> Any:
        if not is_array(value):
            return value
        tensors.append(as_tensor(value))
        return tensors[-1]

    taken = tree_map(take, (arguments, keywords))
    if not tensors:
        raise InputError(
            "Got no arrays to compute on. Needed: at least one tensor or array. A backend's functions take nothing else. Pass one."
        )
    return (tuple(taken[0]), dict(taken[1])), tensors


def _handed_back(program: Program, results: list[torch.Tensor], arguments: Any, keywords: Any) -> Any:
    first = next((item for item in tree_flatten((arguments, keywords))[0] if isinstance(item, torch.Tensor)), None)
    own = map(owned, results)
    return program.nested(results, [as_numpy(tensor) if first is None else tensor.to(first.device) for tensor in own])


@contextlib.contextmanager
def _unwatched() -> Generator[None]:
    """Nothing outside watches the backend at work, and nothing is differentiated."""
    with contextlib.ExitStack() as stack:
        for _ in range(_len_torch_function_stack()):
            stack.enter_context(_pop_mode_temporarily())
        stack.enter_context(_disable_current_modes())
        stack.enter_context(torch.no_grad())
        yield


@contextlib.contextmanager
def _undisturbed() -> Generator[None]:
    """Loading a framework, or building with it, draws random numbers and warns at times: the program's own go on as before."""
    with quiet():  # what a framework warns of while it is loaded concerns its makers
        before = readings(RANDOM)
        try:
            yield
        finally:
            put_back(before)


def _paths(tree: Any, name: str) -> list[str]:
    from ..differences.leaves import leaves_of

    return [name + leaf.path for leaf in leaves_of(tree_map(lambda item: item if is_array(item) else None, tree))]


def _output_paths(program: Program, outputs: list[torch.Tensor]) -> list[str]:
    return _paths(program.nested(outputs, list(outputs)), "output")
