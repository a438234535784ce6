"""Graph: the calls of one side with the values between them, so that a part of it can be computed otherwise.

Values are known by what made them: a call, or whoever called the function (inputs, parameters). The tensors themselves are not kept.
"""

from __future__ import annotations

import sys
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from ..recording.names import is_of_user, line_of
from .calls import Call, tensors_in

OWN = str(Path(__file__).parents[1])
"""Where this package is: its frames are not the program's."""
WRITES = ("setitem",)
"""Calls that are made for what they write, and return nothing."""


@dataclass(frozen=True)
class Made:
    """A value that a call made: which of the tensors that it returned."""

    number: int
    index: int


@dataclass(frozen=True)
class Given:
    """A value that no call made: the operand at that place of the first call that reads it."""

    number: int
    index: int


Name = Made | Given


@dataclass(frozen=True)
class Node:
    """One call.

    Attributes:
        number, name: as of the `Call`. function: what is called. arguments, keywords: with `Made` and `Given` for tensors.
        shapes: of the tensors that it returns. is_float: whether the first of them holds floating-point numbers.
        source: the line of the user's program. blocks: the invocations of modules and functions that it is in, outermost first.
        spot: the place in the user's code, the same each time that a loop or another caller comes there. path: that, with the places from
        which it was called and the module.
    """

    number: int
    name: str
    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    keywords: Mapping[str, Any]
    shapes: tuple[tuple[int, ...], ...]
    is_float: bool
    source: str
    blocks: tuple[str, ...]
    spot: tuple[Any, ...]
    path: tuple[Any, ...]

    @property
    def operands(self) -> list[Name]:
        """The tensors that it reads, in the order of its arguments."""
        return list(names_in([*self.arguments, *self.keywords.values()]))


class Graph:
    """The calls of one run.

    Attributes:
        nodes: by number. readers: which calls read a value. shapes: of each value.
    """

    def __init__(self) -> None:
        self.nodes: dict[int, Node] = {}
        self.readers: dict[Name, list[int]] = {}
        self.shapes: dict[Name, tuple[int, ...]] = {}
        self.floats: set[Name] = set()
        self._known: dict[int, tuple[weakref.ref[torch.Tensor], Name]] = {}
        self._begun: dict[int, tuple[Any, ...]] = {}
        self._blocks: dict[tuple[Any, ...], tuple[int, int]] = {}

    def begin(self, call: Call) -> None:
        """Note a call before it is made."""
        operands: dict[int, Name] = {}
        for index, tensor in enumerate(tensors_in([*call.arguments, *call.keywords.values()])):
            name = self._name_of(tensor)
            if name is None:
                name = Given(call.number, index)
                self._enter(tensor, name)
            operands[id(tensor)] = name
        self._begun[call.number] = (
            tuple(_named(call.arguments, operands)), {key: _named(value, operands) for key, value in call.keywords.items()}, *self._where(call),
        )  # fmt: skip

    def end(self, call: Call, result: Any) -> None:
        """Note what a call returned."""
        arguments, keywords, *where = self._begun.pop(call.number)
        returned = list(tensors_in(result))
        if not returned and call.name not in WRITES:
            return
        node = Node(
            call.number, call.name, call.function, arguments, keywords, tuple(tuple(tensor.shape) for tensor in returned),
            bool(returned) and returned[0].is_floating_point(), *where,
        )  # fmt: skip
        self.nodes[call.number] = node
        for name in node.operands:
            self.readers.setdefault(name, []).append(call.number)
        for index, tensor in enumerate(returned):
            self._enter(tensor, Made(call.number, index))

    def values_like(self, name: Name, before: int) -> list[Name]:
        """Other values of the same shape that there are before a call, nearest first.

        Those that a program has names for (given to it, or read more than once) come before the others.
        """
        shape, is_float = self.shapes[name], name in self.floats
        same = [
            other
            for other, known in self.shapes.items()
            if other != name and known == shape and (other in self.floats) == is_float and other.number < before
        ]
        return sorted(same, key=lambda other: (isinstance(other, Made) and len(self.readers.get(other, ())) < 2, before - other.number))

    def made_from(self, number: int) -> set[int]:
        """The calls that make what a call reads."""
        return {name.number for name in self.nodes[number].operands if isinstance(name, Made)}

    def reading(self, number: int) -> list[int]:
        """The calls that read what a call makes, in order."""
        return sorted({reader for index in range(len(self.nodes[number].shapes)) for reader in self.readers.get(Made(number, index), ())})

    def words(self, name: Name) -> str:
        """A value in words."""
        node = self.nodes.get(name.number)
        if isinstance(name, Given):
            return f"operand {name.index + 1} of {node.name}{_line(node)}" if node is not None else "an input"
        assert node is not None
        part = f"part {name.index + 1} of " if len(node.shapes) > 1 else ""
        return f"{part}the result of {node.name}{_line(node)}"

    def _enter(self, tensor: torch.Tensor, name: Name) -> None:
        self._known[id(tensor)] = (weakref.ref(tensor), name)
        self.shapes[name] = tuple(tensor.shape)
        if tensor.is_floating_point():
            self.floats.add(name)

    def _name_of(self, tensor: torch.Tensor) -> Name | None:
        known = self._known.get(id(tensor))
        return known[1] if known is not None and known[0]() is tensor else None

    def _where(self, call: Call) -> tuple[str, tuple[str, ...], tuple[Any, ...], tuple[Any, ...]]:
        """The user's line, the invocations around the call, and the place in the code without and with its callers."""
        frames: list[Any] = []
        frame = sys._getframe(1)  # pyright: ignore[reportPrivateUsage]
        while frame is not None:
            if is_of_user(frame.f_code.co_filename):
                frames.append(frame)
            frame = frame.f_back
        path: tuple[Any, ...] = ()
        blocks: list[str] = []
        caller = 0
        for frame in reversed(frames):
            path = (*path, id(frame.f_code), caller)
            serial, last = self._blocks.get(path, (0, -1))
            if frame.f_lasti < last and frame is frames[0]:
                serial += 1  # the function was called again from the same place
            self._blocks[path] = (serial, frame.f_lasti)
            path = (*path, serial)
            blocks.append(f"{frame.f_code.co_name} {hash(path)}")
            caller = frame.f_lasti
        source = line_of(frames[0]) if frames else ""
        caller_itself = _caller()  # in a library, where a function of one is called: the lines of an optimizer's step are different places
        spot = (call.name, caller_itself, *((id(frames[0].f_code), frames[0].f_lasti) if frames else ()))
        callers = tuple((id(frame.f_code), frame.f_lasti) for frame in frames)
        return (
            source,
            (*blocks, *([f"module {call.module}"] if call.module else [])),
            spot,
            (call.name, call.module, caller_itself, *callers),
        )


def _caller() -> tuple[int, int]:
    """The place in the code that made a call, whoever's code that is."""
    frame = sys._getframe(1)  # pyright: ignore[reportPrivateUsage]
    while frame.f_back is not None and frame.f_code.co_filename.startswith(OWN):
        frame = frame.f_back
    return id(frame.f_code), frame.f_lasti


def names_in(tree: Any) -> Iterator[Name]:
    """The values in a tree of arguments."""
    if isinstance(tree, (Made, Given)):
        yield tree
    elif isinstance(tree, (list, tuple)):
        for part in tree:
            yield from names_in(part)


def with_tensors(tree: Any, tensor_of: Callable[[Name], torch.Tensor]) -> Any:
    """A tree of arguments with tensors again."""
    if isinstance(tree, (Made, Given)):
        return tensor_of(tree)
    if isinstance(tree, (list, tuple)):
        parts = [with_tensors(part, tensor_of) for part in tree]
        return tuple(parts) if isinstance(tree, tuple) else parts
    return tree


def _named(tree: Any, operands: Mapping[int, Name]) -> Any:
    if isinstance(tree, torch.Tensor):
        return operands.get(id(tree), tree)
    if type(tree) in (list, tuple):
        parts: Sequence[Any] = [_named(part, operands) for part in tree]
        return tuple(parts) if isinstance(tree, tuple) else parts
    return tree


def _line(node: Node) -> str:
    line = node.source.partition(" ")[0].rpartition(":")[2]
    return f" in line {line}" if line else ""
