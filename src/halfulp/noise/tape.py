"""Tape: the ops of a run in order, to be run again on other numbers without the code that called them.

Most of a small model's run is Python: modules, attributes, modes. What that code did between the ops is the same in every run, unless it
looked at numbers. A tape is used only where it saw all that the run depended on: each tensor is an input, belongs to the state, was made by
an op of the tape or from Python's numbers, and no number was read but by ops, whose answers are compared when the tape runs again.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import weakref
from collections.abc import Callable, Generator, Iterable
from dataclasses import dataclass, field
from typing import Any, Generic, NamedTuple, TypeVar

import torch

from ..cases.trees import found_in, tensors_of, tree_map
from ..differences.leaves import Leaf, leaves_of, values_of
from ..recording.storage_tracker import Storages

T = TypeVar("T")


class ByIdentity(Generic[T]):
    """What is known of tensors, without keeping them: a sixth of the time of PyTorch's own `WeakIdKeyDictionary`.

    What was known of a tensor that is no more is overwritten when its address is used again, and never found.
    """

    def __init__(self) -> None:
        self._known: dict[int, tuple[weakref.ref[torch.Tensor], T]] = {}

    def __setitem__(self, tensor: torch.Tensor, value: T) -> None:
        self._known[id(tensor)] = weakref.ref(tensor), value

    def get(self, tensor: torch.Tensor) -> T | None:
        """What is known of a tensor; None where nothing is."""
        found = self._known.get(id(tensor))
        return found[1] if found is not None and found[0]() is tensor else None


class Diverged(Exception):
    """The numbers would have led the code another way than when the tape was recorded."""


class _Slot(int):
    """The number of a tensor on the tape."""


@dataclass(eq=False)
class Step:
    """One op.

    Attributes:
        func: the op. args, kwargs: its arguments, a `_Slot` in place of each tensor.
        slots: the places in `args` that hold a slot. nested: whether slots lie elsewhere, too.
        made: the slots of its results. answer: what it gave where that is no tensor; shapes: of results whose shape depends on numbers.
        how: what whoever recorded it has to do again.
        ends: the slots that no later step reads.
    """

    func: Any
    args: list[Any]
    kwargs: dict[str, Any]
    slots: list[tuple[int, int]]
    nested: bool
    made: list[int]
    answer: Any
    shapes: list[torch.Size] | None
    how: Any
    ends: list[int] = field(default_factory=list)


_NOTHING = object()


class Tape:
    """Records the ops of one run, below autograd, and runs them again.

    Attributes:
        why: why it can't be run again; "" while it can.
    """

    def __init__(self) -> None:
        self.why = ""
        self._steps: list[Step] = []
        self._slots: ByIdentity[int] = ByIdentity()
        self._count = 0
        self._given: list[int] = []
        self._constants: dict[int, torch.Tensor] = {}
        self._fixed = Storages()
        self._outputs: list[tuple[str, Any]] = []

    def begin(self, given: Iterable[torch.Tensor]) -> None:
        """Start with the tensors that a run is given, in order: its inputs, and those that outlive it."""
        self._given = [self._new(tensor) for tensor in given]

    def drop(self, why: str) -> None:
        """It can't be run again."""
        self.why = self.why or why
        self._steps.clear()
        self._constants.clear()

    def __len__(self) -> int:
        return len(self._steps)

    def cut(self, length: int) -> None:
        """Forget the steps after the first few: what was recorded since is done in another way."""
        del self._steps[length:]

    def record(self, func: Any, args: Any, kwargs: dict[str, Any], result: Any, how: Any) -> None:
        """An op that was run, and what it gave."""
        if self.why:
            return
        facts = _facts(func)
        if facts.reshapes:
            self.drop(f"{func} changes the shape of a tensor in place")
            return
        slots = [(place, self._slot(value, facts.makes_of_numbers)) for place, value in enumerate(args) if isinstance(value, torch.Tensor)]
        given = [None if isinstance(value, torch.Tensor) else self._marked(value) for value in args]
        named = {key: self._marked(value) for key, value in kwargs.items()} if kwargs else kwargs
        nested = _holds_slots(given) or (bool(kwargs) and _holds_slots(named))
        if facts.writes and self._fixed:
            self._require_free((args, kwargs), func)
        answer: Any = _NOTHING
        made: list[int] = []
        if isinstance(result, torch.Tensor):
            made = [self._made(result)]
        elif isinstance(result, (tuple, list)) and all(part is None or isinstance(part, torch.Tensor) for part in result):
            made = [self._made(tensor) for tensor in tensors_of(result)]
        elif result is not None:
            answer = result
        shapes = [tensor.shape for tensor in tensors_of(result)] if facts.sizes_follow_numbers else None
        if not self.why:
            self._steps.append(Step(func, given, named, slots, nested, made=made, answer=answer, shapes=shapes, how=how))

    def end(self, result: Any) -> None:
        """Finish with what the run returned: what no later step reads is forgotten as soon as that is known."""
        if self.why:
            return
        for leaf, value in values_of(result, []):
            if isinstance(value, torch.Tensor):
                slot = self._slots.get(value)
                if slot is None:
                    self.drop("an output was not made by an op")
                    return
                self._outputs.append((leaf.path, _Slot(slot)))
            elif isinstance(value, (bool, int, float, complex)):
                self._outputs.append((leaf.path, value))
            else:
                self.drop("an output is not a PyTorch tensor")
                return
        self._slots = ByIdentity()
        needed = {slot for _, slot in self._outputs if isinstance(slot, _Slot)} | set(self._given) | set(self._constants)
        for step in reversed(self._steps):
            read = {slot for _, slot in step.slots} | set(found_in((step.args, step.kwargs), _Slot) if step.nested else ()) | set(step.made)
            step.ends = list(read - needed)
            needed |= read

    def play(self, given: Iterable[torch.Tensor], perform: Callable[[Step, list[Any], dict[str, Any]], Any]) -> tuple[Leaf, ...]:
        """Run the ops again.

        Args:
            given: in the order of `begin`. perform: runs one op on its arguments.

        Returns:
            The outputs, as leaves.

        Raises:
            Diverged: the code might have gone another way.
        """
        numbers: list[Any] = [None] * self._count
        for slot, tensor in zip(self._given, given, strict=True):
            numbers[slot] = tensor
        for slot, tensor in self._constants.items():
            numbers[slot] = tensor
        for step in self._steps:
            args = step.args.copy()
            kwargs = step.kwargs
            if step.nested:
                args, kwargs = tree_map(lambda value: numbers[value] if isinstance(value, _Slot) else value, (args, kwargs))
            for place, slot in step.slots:
                args[place] = numbers[slot]
            result = perform(step, args, kwargs)
            if len(step.made) == 1 and isinstance(result, torch.Tensor):
                numbers[step.made[0]] = result
            else:
                self._take(step, result, numbers)
            if step.shapes is not None and [tensor.shape for tensor in tensors_of(result)] != step.shapes:
                raise Diverged
            for slot in step.ends:
                numbers[slot] = None
        with torch._C.DisableTorchFunction():  # pyright: ignore[reportPrivateUsage]
            return tuple(_output(path, numbers[value] if isinstance(value, _Slot) else value) for path, value in self._outputs)

    def _take(self, step: Step, result: Any, numbers: list[Any]) -> None:
        if step.answer is not _NOTHING:
            if type(result) is not type(step.answer) or result != step.answer:
                raise Diverged
            return
        found = list(tensors_of(result))
        if len(found) != len(step.made):
            raise Diverged
        for slot, tensor in zip(step.made, found):
            numbers[slot] = tensor

    def _new(self, tensor: torch.Tensor) -> int:
        slot, self._count = self._count, self._count + 1
        self._slots[tensor] = slot
        return slot

    def _made(self, tensor: torch.Tensor) -> int:
        slot = self._slots.get(tensor)
        return self._new(tensor) if slot is None else slot

    def _slot(self, tensor: torch.Tensor, constant: bool = False) -> int:
        slot = self._slots.get(tensor)
        if slot is not None:
            return slot
        if not constant:
            self.drop("a tensor came from elsewhere")
            return 0
        slot = self._new(tensor)
        self._constants[slot] = tensor
        with torch._C.DisableTorchFunction():  # pyright: ignore[reportPrivateUsage]
            self._fixed.add(tensor)
        return slot

    def _marked(self, tree: Any) -> Any:
        """Arguments with slots in place of tensors."""
        return tree if isinstance(tree, _PLAIN) else tree_map(self._mark, tree)

    def _mark(self, value: Any) -> Any:
        if isinstance(value, torch.Generator):
            self.drop("a generator of random numbers")
        return _Slot(self._slot(value)) if isinstance(value, torch.Tensor) else value

    def _require_free(self, given: Any, func: Any) -> None:
        with torch._C.DisableTorchFunction():  # pyright: ignore[reportPrivateUsage]  # what is asked of tensors here is nobody else's
            if any(tensor in self._fixed for tensor in tensors_of(given)):
                self.drop(f"{func} changes a constant in place")


class _Facts(NamedTuple):
    """What has to be known of an op.

    Attributes:
        writes: whether it writes into an argument. reshapes: whether it changes the shape of one. makes_of_numbers: whether it takes what
            Python's numbers were put into. sizes_follow_numbers: whether the shape of its result depends on numbers.
    """

    writes: bool
    reshapes: bool
    makes_of_numbers: bool
    sizes_follow_numbers: bool


@functools.lru_cache(maxsize=4096)
def _facts(func: Any) -> _Facts:
    return _Facts(
        func._schema.is_mutable,
        torch.Tag.inplace_view in func.tags,
        func._schema.name == "aten::lift_fresh",
        torch.Tag.dynamic_output_shape in func.tags,
    )


_PLAIN = (bool, int, float, complex, str, type(None), torch.dtype, torch.device, torch.layout, torch.memory_format)


def _holds_slots(tree: Any) -> bool:
    return next(found_in(tree, _Slot), None) is not None


def _output(path: str, value: Any) -> Leaf:
    return dataclasses.replace(leaves_of(value)[0], path=path)


@contextlib.contextmanager
def unwatched() -> Generator[None]:
    """What runs inside is seen neither by autograd nor by modes of PyTorch's functions."""
    with torch._C.DisableTorchFunction(), torch._C._AutoDispatchBelowAutograd():  # pyright: ignore[reportPrivateUsage]
        yield
