"""Recorder: watches a program run and writes its trace.

A dispatch mode sees every op below autograd, so the backward pass too; hooks see modules; the memory of tensors tells which op read what
which other op wrote. Values are summarized at once, before anything can overwrite them.
"""

from __future__ import annotations

import contextlib
import fnmatch
import functools
import hashlib
import os
import threading
from collections.abc import Callable, Generator, Sequence
from pathlib import Path
from typing import Any

import torch
from torch import nn
from torch.optim.optimizer import register_optimizer_step_post_hook, register_optimizer_step_pre_hook

from ..containers import named_in, require_end
from ..errors import InputError
from ..files import path_of
from ..process.dispatch import DispatchMode
from ..traces.fingerprint import Fingerprint, fingerprint
from ..traces.roles import Phase, Role, StepKind
from ..traces.shards import ITEM_BYTES
from ..traces.trace import LEVELS, Ref, Step, Value
from ..traces.writer import TraceWriter
from .modules import NOWHERE, ModuleStack
from .modules import Place as ModulePlace
from .names import encode, source_line
from .storage_tracker import Holding, Known, storage_key
from .summary import dtype_name, elements_of, hash_of, statistics_of

SAMPLE = 64
"""Elements kept of each tensor at level "statistics": enough to estimate a relative difference to 10 % (1 / sqrt(2 * 64))."""

OVERLAY = "halfulp.overlay.default"
"""The step that says: this tensor holds what it held, overwritten in part through other tensors over the same memory."""

_BUDGET_SHARE = 32
"""No tensor takes more than this fraction of what is left of a size budget: 300 tensors still leave the last one 1/400,000 of it."""

_UNANNOTATED = {
    # Ops that overwrite arguments although their schema does not say so: running statistics.
    "aten.native_batch_norm.default": (3, 4),
    "aten.cudnn_batch_norm.default": (3, 4),
    "aten.miopen_batch_norm.default": (3, 4),
}


class Recorder:
    """Records what runs inside its `with` block.

    Args:
        path: the folder to write.
        level: "hash" (hash and statistics of each value), "statistics" (and a sample of its elements) or "tensors".
        select: patterns of dotted module paths or ops ("layers.3*", "aten.addmm*", "*.weight"); only the elements of matching values are
            kept at level "tensors", samples of the others. () keeps all.
        sample: at level "tensors", keep at most this many elements of a tensor; None keeps all.
        budget_bytes: keep at most this much of all elements together: each tensor is sampled to a share of what is left.
        progress: called with a word about what is going on.

    Attributes:
        notes: what could not be seen.

    Raises:
        InputError: an unknown level, or a nonsensical number. TraceError: the folder can't be written.
    """

    def __init__(
        self,
        path: str | Path,
        *,
        level: str = "statistics",
        select: Sequence[str] = (),
        sample: int | None = None,
        budget_bytes: int | None = None,
        progress: Callable[[str], None] | None = None,
    ) -> None:
        if level not in LEVELS:
            raise InputError(
                f"Got level={level!r}. Needed: one of {', '.join(LEVELS)}. It decides what is kept of each tensor. "
                'Pass level="tensors" to see afterwards how much error each op adds.'
            )
        for name, number in (("sample", sample), ("budget_bytes", budget_bytes)):
            if number is not None and number < 1:
                raise InputError(
                    f"Got {name}={number}. Needed: a number of at least 1. It limits what is stored. Leave it out to store everything."
                )
        self.level, self.select = level, tuple(select)
        self._sample, self._budget = sample, budget_bytes
        self._progress = progress
        rank = _rank()
        target = path_of(path) if rank is None else path_of(path) / f"rank-{rank:05d}"
        self._writer = TraceWriter(target, level=level, fingerprint=fingerprint(), rank=rank)
        self._known = Known()
        self._named: dict[str, torch.Tensor] = {}
        self._differentiated: dict[str, torch.Tensor] = {}
        self._leaves: dict[int, tuple[Role, str]] = {}
        self._results: dict[str, int] = {}
        self._modules = ModuleStack(self._returned, self._compiled, self.watch)
        self._mode = _Mode(self._op)
        self._forward_ops: dict[int, Step] = {}
        self._node: tuple[ModulePlace, str] | None = None
        self._in_step = 0
        self._has_compiled = False
        self._settings: Fingerprint | None = None
        self._digests: dict[str, list[str]] = {"weights": [], "inputs": []}
        self._active = False
        self._handles: list[Any] = []
        self._thread = threading.get_ident()
        self.notes: list[str] = []
        self.path = target

    def watch(self, module: nn.Module, name: str = "") -> None:
        """Name a module's parts, parameters and buffers. Modules that are not named in advance get names when they are called."""
        self._modules.name(module, name)
        self._has_compiled |= any(type(part).__name__ == "OptimizedModule" for part in module.modules())
        with self.paused():
            for role, tensors in ((Role.PARAMETER, module.named_parameters()), (Role.BUFFER, module.named_buffers())):
                for path, tensor in tensors:
                    clean = ".".join(filter(None, (name, path.replace("_orig_mod.", ""))))
                    if clean not in self._named:
                        self._named[clean] = tensor
                        self._leaves[id(tensor)] = (role, clean)

    def inputs(self, tree: Any, name: str = "inputs") -> None:
        """Record the tensors of an argument tree under names: "inputs[0]"."""
        require_end(tree, name)
        for path, tensor in _tensors(tree, name):
            self._value_of(tensor, role=Role.INPUT, name=path)
            if tensor.is_leaf and tensor.requires_grad:
                self._differentiated[path] = tensor

    def outputs(self, tree: Any, name: str = "output") -> None:
        """Say that these tensors are results."""
        require_end(tree, name)
        for path, tensor in _tensors(tree, name):
            number = self._value_of(tensor, role=Role.UNSEEN, name=path)
            if number is not None:
                self._results[path] = number

    def __enter__(self) -> Recorder:
        self._active = True
        self._modules.start()
        self._handles = [
            register_optimizer_step_pre_hook(self._step_begins),
            register_optimizer_step_post_hook(self._step_ends),
        ]
        # Parameters are recorded when an op first reads them. Buffers, and whatever compiled code reads, may be overwritten unseen.
        for path, tensor in self._named.items():
            role = self._leaves[id(tensor)][0]
            if role == Role.BUFFER or self._has_compiled:
                self._value_of(tensor, role=role, name=path)
        self._mode.__enter__()
        return self

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        self._mode.__exit__(kind, error, trace)
        self._active = False
        self._modules.stop()
        for handle in self._handles:
            handle.remove()
        if kind is None:
            for path, tensor in self._named.items():
                if self._has_compiled:
                    self._known.forget(tensor)
                number = self._value_of(tensor, role=Role.UNSEEN, name=path, at_end=True)
                gradient = tensor.grad
                if number is not None:
                    self._results[path] = number
                if gradient is not None:
                    self._gradient(path, gradient)
            for path, tensor in self._differentiated.items():
                if tensor.grad is not None:
                    self._gradient(path, tensor.grad)
        else:
            self.notes.append(f"ended by {kind.__name__}")
        settings = self._fingerprint()  # which may add notes
        self.path = self._writer.close(
            named=self._results, notes=tuple(dict.fromkeys(self.notes)), fingerprint=settings, complete=kind is None
        )

    def _gradient(self, path: str, gradient: torch.Tensor) -> None:
        """Say that a gradient is a result."""
        number = self._value_of(gradient, role=Role.UNSEEN, name=f"{path}.grad")
        if number is not None:
            self._results[f"{path}.grad"] = number

    def _with_autocast(self, found: Fingerprint) -> Fingerprint:
        """Inside the dispatch of an op autocast reads "off", whatever it is outside: take what modules were called under."""
        entries = {**found.sections["torch"], "autocast": self._modules.autocast or found.sections["torch"]["autocast"]}
        return found.with_section("torch", entries)

    def _fingerprint(self) -> Fingerprint:
        """The settings under which it ran, with hashes of weights and inputs; settings that changed on the way are noted."""
        now = self._with_autocast(fingerprint())
        first = self._settings if self._settings is not None else now
        for name, before, after in first.differences(now):
            self.notes.append(f"{name} changed during the run: {before} when the first op ran, {after} at the end")
        hashes = {key: hashlib.sha256("".join(values).encode()).hexdigest()[:16] for key, values in self._digests.items() if values}
        return first.with_section("run", {"seed": str(torch.initial_seed()), **hashes})

    @contextlib.contextmanager
    def paused(self) -> Generator[None]:
        """Ops in here are the recorder's own."""
        active, self._active = self._active, False
        try:
            yield
        finally:
            self._active = active

    @contextlib.contextmanager
    def node(self, module: str, call: int, source: str) -> Generator[None]:
        """Ops in here belong to a node of a graph: its module, which of the module's calls, and what to give as the source line."""
        before, self._node = self._node, (ModulePlace(module, call), source)
        try:
            yield
        finally:
            self._node = before

    # Ops

    def _op(self, func: Any, args: Any, kwargs: dict[str, Any]) -> Any:
        elsewhere = threading.get_ident() != self._thread and not _is_backward()
        if not self._active or elsewhere or func.namespace == "profiler":
            return func(*args, **kwargs)
        schema = func._schema
        overwritten = _overwritten(func, schema, args, kwargs)
        with self.paused():
            if self._settings is None:  # those in force when computing starts: a program sets its switches first
                self._settings = self._with_autocast(fingerprint())
            arguments, keywords = encode(list(args), self._reference), encode(kwargs, self._reference)
        result = func(*args, **kwargs)
        with self.paused():
            _wait_for(func, result)
            # The module and the forward op belong to the place from which the op was called.
            forward = self._forward_of()
            phase = Phase.STEP if self._in_step else (Phase.BACKWARD if _is_backward() else Phase.FORWARD)
            place, source = self._node or (self._modules.place, source_line() if phase != Phase.BACKWARD else "")
            if forward is not None and place == NOWHERE:
                place = ModulePlace(forward.module, forward.call)
            elif phase == Phase.STEP:
                place = self._owner(args)
            returned = [] if result is None else _flat(result)
            numbers: list[int | None] = []
            seen: set[int] = set()
            for tensor in returned:
                changed = tensor is not None and any(tensor is target for target in overwritten)
                numbers.append(None if tensor is None else self._new(tensor, func, args, changed=changed))
                seen.add(id(tensor))
            numbers += [self._new(tensor, func, args, changed=True) for tensor in overwritten if id(tensor) not in seen]
            step = Step(
                self._writer.steps, StepKind.OP, phase, _name(func), module=place.path, call=place.call, source=source,
                arguments=tuple(arguments), keywords=keywords, outputs=tuple(numbers),
                forward=forward.index if forward is not None else None,
            )  # fmt: skip
            self._writer.add_step(step)
            if phase == Phase.FORWARD:
                self._forward_ops.setdefault(torch.autograd._get_sequence_nr() - 1, step)  # pyright: ignore[reportPrivateImportUsage, reportPrivateUsage]
            if self._progress is not None and step.index % 64 == 0:
                self._progress(f"recording {phase} {place.path}: {step.index} ops, {self._writer.bytes_written / 1e6:.0f} MB")
        return result

    def _forward_of(self) -> Step | None:
        """The forward op whose backward is running: autograd numbers both alike."""
        node: Any = torch._C._current_autograd_node()  # pyright: ignore[reportPrivateUsage]
        return None if node is None else self._forward_ops.get(node._sequence_nr())

    def _owner(self, args: Any) -> ModulePlace:
        """The module of the parameter that an optimizer updates."""
        for tensor in _flat(args):
            found = None if tensor is None else self._leaves.get(id(tensor))
            if found is not None:
                return ModulePlace(found[1].rpartition(".")[0], 0)
        return NOWHERE

    def _new(self, tensor: torch.Tensor, func: Any, args: Any, *, changed: bool) -> int | None:
        """Record a result."""
        if not _is_readable(tensor):
            return None
        is_view = not changed and _same_storage(tensor, args)
        known = self._known.number_of(_local(tensor)) if is_view else None
        if known is not None:
            return known  # handed through as it is
        role, name = self._leaves.get(id(tensor), (Role.OP, "")) if changed else (Role.OP, "")
        number = self._write(tensor, Role.OP if role != Role.BUFFER else role, name, summarize=not is_view, why=_name(func))
        if changed:
            self._known.overwritten(_local(tensor), number)
        else:
            self._known.holds(_local(tensor), number)
        return number

    def _reference(self, tensor: torch.Tensor) -> Any:
        number = self._value_of(tensor, role=Role.UNSEEN)
        return {"object": type(tensor).__name__} if number is None else Ref(number)

    def _value_of(self, tensor: torch.Tensor, *, role: Role, name: str = "", at_end: bool = False) -> int | None:
        """The number of the value that a tensor holds, recorded now if it was not."""
        if not _is_readable(tensor):
            return None
        local = _local(tensor)
        known = self._known.number_of(local)
        if known is not None:
            return known
        with self.paused():
            before = self._known.before_writes(local)
            leaf = self._leaves.get(id(tensor))
            if leaf is not None and not at_end:
                role, name = leaf
            number = self._write(tensor, role, name, summarize=True, why=name)
            if before is not None and before[1]:
                self._overlay(number, *before)
            elif role == Role.UNSEEN and not name and local.dim():  # a number that is written into a tensor is made unseen, too
                self._has_compiled = True
                self.notes.append(
                    "some values were not made by any recorded op (but by compiled code, another thread, or another library); their "
                    "role is recorded as unseen"
                )
            self._known.holds(local, number)
        return number

    def _overlay(self, number: int, before: Holding, writes: list[Holding]) -> None:
        where = [[holding.geometry[0], list(holding.geometry[1]), list(holding.geometry[2])] for holding in (before, *writes)]
        arguments = (Ref(before.number), [Ref(write.number) for write in writes], where)
        place = self._modules.place
        phase = Phase.STEP if self._in_step else (Phase.BACKWARD if _is_backward() else Phase.FORWARD)
        self._writer.add_step(
            Step(
                self._writer.steps,
                StepKind.OP,
                phase,
                OVERLAY,
                module=place.path,
                call=place.call,
                source="",
                arguments=arguments,
                keywords={},
                outputs=(number,),
            )
        )

    def _write(self, tensor: torch.Tensor, role: Role, name: str, *, summarize: bool, why: str) -> int:
        number = self._writer.values
        local = _local(tensor).detach()
        shape, strides, dtype, device = tuple(local.shape), tuple(local.stride()), dtype_name(local), str(local.device)
        hashed, statistics, place = "", {}, None
        if summarize and dtype in ITEM_BYTES:
            # A device that may be at fault, or has no float64, is asked for a copy only. (Inference mode off: PyTorch before 2.5 can't view
            # ordinary tensors as integers in it while a mode is active.)
            if local.device.type not in ("cpu", "cuda"):
                local = local.cpu()
            with torch.inference_mode(False), torch.no_grad():
                contiguous = local.resolve_conj().resolve_neg().contiguous()
                hashed, statistics = hash_of(contiguous), statistics_of(contiguous)
                count = self._count(contiguous, dtype, why, name)
                if count:
                    values, elements = elements_of(contiguous, count)
                    stored_shape = shape if elements == contiguous.numel() else (elements,)
                    place = self._writer.store(dtype, stored_shape, values, elements=elements)
        is_ours = role == Role.INPUT and name.startswith("cotangents")  # what halfulp itself puts in
        if role in (Role.PARAMETER, Role.BUFFER, Role.INPUT) and not is_ours:
            self._digests["inputs" if role == Role.INPUT else "weights"].append(hashed)
        placements = tuple(str(item) for item in getattr(tensor, "placements", ()))
        self._writer.add_value(
            Value(
                number,
                role,
                name,
                dtype,
                shape=shape,
                strides=strides,
                device=device,
                hash=hashed,
                statistics=statistics,
                place=place,
                placements=placements,
            )
        )
        return number

    def _count(self, tensor: torch.Tensor, dtype: str, op: str, name: str) -> int:
        """How many elements of a tensor are kept."""
        count = tensor.numel()
        if self.level == "hash" or not count:
            return 0
        words = (self._modules.place.path, op, name)
        is_selected = not self.select or any(word and fnmatch.fnmatchcase(word, pattern) for word in words for pattern in self.select)
        if self.level == "statistics" or not is_selected:
            count = min(count, SAMPLE)
        if self._sample is not None:
            count = min(count, self._sample)
        if self._budget is not None:
            left = self._budget - self._writer.bytes_written
            count = min(count, left // (_BUDGET_SHARE * ITEM_BYTES[dtype]))
        return count

    # Modules and optimizers

    def _returned(self, place: ModulePlace, module: nn.Module, arguments: Any, result: Any) -> None:
        if not self._active:
            return
        with self.paused():
            given = encode(list(arguments), self._reference)
            numbers = tuple(None if tensor is None else self._value_of(tensor, role=Role.UNSEEN) for tensor in _flat(result))
            phase = Phase.BACKWARD if _is_backward() else Phase.FORWARD
            step = Step(
                self._writer.steps,
                StepKind.MODULE,
                phase,
                type(module).__name__,
                module=place.path,
                call=place.call,
                source=source_line(),
                arguments=tuple(given),
                keywords={},
                outputs=numbers,
            )
            self._writer.add_step(step)
            if phase == Phase.FORWARD and torch.is_grad_enabled():
                self._follow_gradients(place, module, result)

    def _follow_gradients(self, place: ModulePlace, module: nn.Module, result: Any) -> None:
        """Record the gradient of a module's results when the backward pass gets there."""

        def arrived(gradient: torch.Tensor) -> None:
            if not self._active:
                return
            with self.paused():
                number = self._value_of(gradient, role=Role.UNSEEN)
                kind = type(module).__name__
                self._writer.add_step(
                    Step(
                        self._writer.steps,
                        StepKind.MODULE,
                        Phase.BACKWARD,
                        kind,
                        module=place.path,
                        call=place.call,
                        source="",
                        arguments=(),
                        keywords={},
                        outputs=(number,),
                    )
                )

        for tensor in _flat(result):
            if tensor is not None and tensor.requires_grad and not tensor.is_leaf:
                with contextlib.suppress(RuntimeError):  # tensors of function transforms take no hooks
                    tensor.register_hook(arrived)

    def _compiled(self, place: ModulePlace | None) -> None:
        self._has_compiled = True
        if place is None:
            for tensor in self._named.values():
                self._known.forget(tensor)
        else:
            self.notes.append(
                f"module {place.path or '(outermost)'} is compiled: its inputs, its outputs and the library kernels that "
                "it calls are seen; fused kernels and inner modules are not"
            )

    def _step_begins(self, *_: Any) -> None:
        self._in_step += 1

    def _step_ends(self, *_: Any) -> None:
        self._in_step -= 1


class _Mode(DispatchMode):
    """Hands every op to the recorder."""

    def __init__(self, on_op: Callable[[Any, Any, dict[str, Any]], Any]) -> None:
        super().__init__()
        self._on_op = on_op

    @classmethod
    def ignore_compile_internals(cls) -> bool:
        """Without this, torch.compile would quietly run the program uncompiled while it is recorded."""
        return True

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if torch.is_inference_mode_enabled() and not func.is_view:
            # Autograd, which is off here, would have taken composite ops apart before they come this far.
            with self:
                result = func.decompose(*args, **(kwargs or {}))
            if result is not NotImplemented:
                return result
        return self._on_op(func, args, kwargs or {})


@functools.cache
def _name(func: Any) -> str:
    return str(func)


def _is_backward() -> bool:
    node: Any = torch._C._current_autograd_node()  # pyright: ignore[reportPrivateUsage]
    return node is not None


def _rank() -> int | None:
    if "RANK" in os.environ and int(os.environ.get("WORLD_SIZE", "1")) > 1:
        return int(os.environ["RANK"])
    distributed = getattr(torch, "distributed", None)
    if distributed is not None and distributed.is_available() and distributed.is_initialized() and distributed.get_world_size() > 1:
        return int(distributed.get_rank())
    return None


def _overwritten(func: Any, schema: Any, args: Any, kwargs: dict[str, Any]) -> list[torch.Tensor]:
    """The tensors that a call writes to."""
    found: list[torch.Tensor] = []
    if schema.is_mutable:
        for place, argument in enumerate(schema.arguments):
            if argument.alias_info is not None and argument.alias_info.is_write:
                value = args[place] if place < len(args) else kwargs.get(argument.name)
                found += [tensor for tensor in _flat(value) if tensor is not None]
    if func.namespace == "c10d":  # collectives work in place, and their schemas do not say so
        return [tensor for tensor in _flat(args[0]) if tensor is not None] if args else []
    for place in _UNANNOTATED.get(_name(func), ()):
        if place < len(args) and isinstance(args[place], torch.Tensor):
            found.append(args[place])
    return found


def _wait_for(func: Any, result: Any) -> None:
    """Collectives return before they are done: their results can be read once they are."""
    if func.namespace == "c10d":
        work: Any = result[-1] if isinstance(result, (tuple, list)) and result else result
        if hasattr(work, "wait"):
            work.wait()  # pyright: ignore[reportAttributeAccessIssue]
    elif func.namespace == "_c10d_functional" and not _name(func).startswith("_c10d_functional.wait"):
        for tensor in _flat(result):
            if tensor is not None:
                torch.ops._c10d_functional.wait_tensor(tensor)


def _same_storage(tensor: torch.Tensor, args: Any) -> bool:
    own = storage_key(_local(tensor))
    return any(tensor is not None and _is_readable(tensor) and storage_key(_local(tensor)) == own for tensor in _flat(args))


def _local(tensor: torch.Tensor) -> torch.Tensor:
    """This rank's part of a distributed tensor; any other tensor itself."""
    return getattr(tensor, "_local_tensor", tensor)


_WITHOUT_VALUES = ("FakeTensor", "FunctionalTensor", "NestedTensor", "AsyncCollectiveTensor")
"""Tensor types that stand for something else: nothing to read."""


def _is_readable(tensor: torch.Tensor) -> bool:
    """Whether it is a dense tensor with memory of its own."""
    local = _local(tensor)
    if type(local).__name__ in _WITHOUT_VALUES or local.layout != torch.strided or local.device.type == "meta":
        return False
    return not torch._is_functional_tensor(local)  # pyright: ignore[reportPrivateUsage, reportPrivateImportUsage]


def _flat(tree: Any) -> list[torch.Tensor | None]:
    """The tensors of a result in order; None for other leaves."""
    if isinstance(tree, torch.Tensor):
        return [tree]
    if isinstance(tree, (list, tuple)):
        return [leaf for part in tree for leaf in _flat(part)]
    if isinstance(tree, dict):
        return [leaf for part in tree.values() for leaf in _flat(part)]
    return [None]


def _tensors(tree: Any, path: str) -> list[tuple[str, torch.Tensor]]:
    return list(named_in(tree, path, lambda value: isinstance(value, torch.Tensor)))
