"""Tree: which partial sums are added to which, as data that stays small however many terms there are.

A tree is a list of shapes. A shape says how its items are added: as a *chain*, from left to right, or *together*, in one operation. An
item is a term, an extra leaf (a bias) or an earlier shape, repeated by nested loops. Terms inside a shape are counted from the shape's
first term, so that equal blocks are one shape: a product over K = 2048 in blocks of 192 takes three shapes, a pairwise sum of 2**20 terms
takes 20.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import InputError
from ..words.numbers import counted

TERM = -1
EXTRA = -2
CHAIN = "chain"
TOGETHER = "together"

Loops = tuple[tuple[int, int], ...]
Indices = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Item:
    """What a shape adds.

    Attributes:
        shape: the index of an earlier shape, or TERM, or EXTRA.
        start: the first term, counted from the first term of the enclosing shape; for EXTRA the number of the extra leaf.
        loops: (count, step) of the nested repetitions, innermost first; () for a single one.
    """

    shape: int
    start: int
    loops: Loops = ()

    @property
    def count(self) -> int:
        """How often it occurs."""
        return int(np.prod([count for count, _ in self.loops], dtype=np.int64))

    def starts(self) -> Indices:
        """Where each occurrence starts, in the order in which they are added."""
        places = np.array([self.start], np.int64)
        for count, step in self.loops:
            places = (places[None, :] + (np.arange(count, dtype=np.int64) * step)[:, None]).ravel()
        return places


@dataclass(frozen=True)
class Shape:
    """Items added as a chain (((first + second) + third) + ...) or together, in one operation."""

    kind: str
    items: tuple[Item, ...]

    @property
    def count(self) -> int:
        """How many values it adds."""
        return sum(item.count for item in self.items)


@dataclass(frozen=True)
class Tree:
    """A summation tree over `terms` terms and `extras` extra leaves, equal to another one when they differ by commutativity alone.

    Attributes:
        shapes: each refers to earlier ones only; the last is the whole tree.
        terms: n, how many products or summands there are. extras: how many leaves beside them (bias, initial accumulator).
    """

    shapes: tuple[Shape, ...]
    terms: int
    extras: int = 0

    @property
    def root(self) -> Shape:
        """The whole tree."""
        return self.shapes[-1]

    @cached_property
    def depth(self) -> int:
        """The largest number of additions that one leaf goes through: h of the error bound gamma_h."""
        depths: list[int] = []
        for shape in self.shapes:
            deepest, position = 0, 0
            for item in shape.items:
                below = depths[item.shape] if item.shape >= 0 else 0
                above = 1 if shape.kind == TOGETHER else shape.count - max(position, 1)
                deepest = max(deepest, below + above)
                position += item.count
            depths.append(deepest)
        return depths[-1]

    @cached_property
    def widest(self) -> int:
        """The largest number of values added in one operation: 2 for every ordinary sum."""
        return max([shape.count for shape in self.shapes if shape.kind == TOGETHER], default=2)

    @cached_property
    def hash(self) -> str:
        """Twelve hexadecimal digits that two trees share when they are equal up to commutativity."""
        return hashlib.sha256(json.dumps(self.to_dict(), separators=(",", ":")).encode()).hexdigest()[:12]

    def without_extras(self) -> Tree:
        """The tree of the terms alone."""
        if not self.extras:
            return self
        return self.restricted(np.arange(self.terms), keep_extras=False)

    def restricted(self, kept: Indices, *, keep_extras: bool = True) -> Tree:
        """The tree of some of the terms, renumbered: what is left when the others are zero."""
        children = self.nodes()
        number = {int(term): place for place, term in enumerate(kept)}
        if keep_extras:
            number |= {self.terms + extra: len(kept) + extra for extra in range(self.extras)}
        extras = self.extras if keep_extras else 0
        survivors: dict[int, int] = dict(number)
        built: list[tuple[int, ...]] = []
        first = self.terms + self.extras
        for place, members in enumerate(children):
            left = tuple(survivors[member] for member in members if member in survivors)
            if len(left) == 1:
                survivors[first + place] = left[0]
            elif left:
                built.append(left)
                survivors[first + place] = len(kept) + extras + len(built) - 1
        return Tree.from_nodes(len(kept), extras, built)

    def nodes(self) -> list[tuple[int, ...]]:
        """Every addition as the numbers of what it adds: terms, then extra leaves, then earlier additions in order."""
        program = self.program()
        first = self.terms + self.extras
        stack: list[int] = []
        built: list[tuple[int, ...]] = []

        def add(*members: int) -> None:
            built.append(members)
            stack.append(first + len(built) - 1)

        for operation, argument in zip(program.operations.tolist(), program.arguments.tolist()):
            if operation == PUSH_TERM:
                stack.append(argument)
            elif operation == PUSH_EXTRA:
                stack.append(self.terms + argument)
            elif operation == ADD_TERM:
                add(stack.pop(), argument)
            elif operation == ADD_EXTRA:
                add(stack.pop(), self.terms + argument)
            else:
                count = 2 if operation == ADD else argument
                members = stack[-count:]
                del stack[-count:]
                add(*members)
        return built

    def program(self) -> Program:
        """The tree as instructions of a stack machine."""
        return self._program

    @cached_property
    def _program(self) -> Program:
        return _program(self)

    @classmethod
    def from_nodes(cls, terms: int, extras: int, children: Sequence[tuple[int, ...]]) -> Tree:
        """The tree given by its additions.

        Args:
            terms: n. extras: how many extra leaves.
            children: for each addition the numbers of what it adds: 0 to terms - 1 the terms, then the extra leaves, then the additions in
                order. The last addition is the whole tree; empty when there is a single leaf.

        Raises:
            InputError: a leaf or addition is used twice or not at all.
        """
        return _from_nodes(terms, extras, children)

    def to_dict(self) -> dict[str, Any]:
        """The tree as plain data: each shape as its kind and items, each item as [shape, start, [count, step] ...]."""
        return {
            "terms": self.terms,
            "extras": self.extras,
            "shapes": [
                [shape.kind, [[item.shape, item.start, *(list(loop) for loop in item.loops)] for item in shape.items]]
                for shape in self.shapes
            ],
        }

    @classmethod
    def from_dict(cls, content: dict[str, Any]) -> Tree:
        """The tree that `to_dict` wrote.

        Raises:
            InputError: it isn't one; the message says what is wrong.
        """
        try:
            shapes = tuple(
                Shape(str(kind), tuple(Item(int(item[0]), int(item[1]), tuple((int(c), int(s)) for c, s in item[2:])) for item in items))
                for kind, items in content["shapes"]
            )
            tree = cls(shapes, int(content["terms"]), int(content["extras"]))
        except (KeyError, TypeError, ValueError, IndexError) as error:
            raise InputError(
                f"Got something other than a tree ({type(error).__name__}: {error}). Needed: what Tree.to_dict wrote. Its shapes can't be "
                "read otherwise. Store the order again."
            ) from error
        tree.validate()
        return tree

    def validate(self) -> None:
        """Check that every leaf occurs once and that shapes refer to earlier ones only.

        Raises:
            InputError: they don't.
        """
        problem = ""
        sizes: list[int] = []
        for place, shape in enumerate(self.shapes):
            if shape.kind not in (CHAIN, TOGETHER) or not shape.items:
                problem = f"shape {place} is of kind {str(shape.kind)[:40]!r} with {counted(len(shape.items), 'item')}"
            elif any(item.shape >= place or item.shape < EXTRA or item.count < 1 for item in shape.items):
                problem = f"shape {place} refers to a shape that does not come before it, or has an invalid count"
            if problem:
                break
            # Sizes are checked before anything is expanded: a few loops can claim more leaves than memory holds.
            sizes.append(sum(item.count * (sizes[item.shape] if item.shape >= 0 else 1) for item in shape.items))
        if not problem and (not sizes or sizes[-1] != self.terms + self.extras):
            problem = f"the number of leaves added is {sizes[-1] if sizes else 0}"
        if not problem:
            program = self.program()
            for operations, count in (((PUSH_TERM, ADD_TERM), self.terms), ((PUSH_EXTRA, ADD_EXTRA), self.extras)):
                found = np.sort(program.arguments[np.isin(program.operations, operations)])
                if not np.array_equal(found, np.arange(count)):
                    problem = "a leaf occurs twice or not at all"
        if problem:
            raise InputError(
                f"Got a tree of {counted(self.terms, 'term')} and {self.extras} extra "
                f"{'leaf' if self.extras == 1 else 'leaves'} in which {problem}. Needed: every leaf "
                "once. Only then is it an order of summation. Store the order again."
            )


# Instructions of the stack machine that evaluates a tree.
PUSH_TERM, ADD_TERM, PUSH_EXTRA, ADD_EXTRA, ADD, ADD_TOGETHER, ADD_ROUNDED = range(7)


@dataclass(frozen=True)
class Program:
    """A tree as instructions: `operations` (int8) and `arguments` (int64; a term, an extra leaf, or how many values are added together)."""

    operations: npt.NDArray[np.int8]
    arguments: Indices

    @cached_property
    def stack(self) -> int:
        """How many values are on the stack at most."""
        moves = np.select(
            [np.isin(self.operations, (PUSH_TERM, PUSH_EXTRA)), self.operations == ADD, self.operations == ADD_TOGETHER],
            [1, -1, 1 - self.arguments],
            0,
        )
        return int(np.cumsum(moves).max(initial=1))


def _program(tree: Tree) -> Program:
    programs: list[tuple[npt.NDArray[np.int8], Indices]] = []
    for shape in tree.shapes:
        operations: list[npt.NDArray[np.int8]] = []
        arguments: list[Indices] = []
        chained = shape.kind == CHAIN
        for place, item in enumerate(shape.items):
            starts = item.starts()
            if item.shape < 0:
                push, add = (PUSH_TERM, ADD_TERM) if item.shape == TERM else (PUSH_EXTRA, ADD_EXTRA)
                codes = np.full(len(starts), add if chained else push, np.int8)
                if place == 0:
                    codes[0] = push
                operations.append(codes)
                arguments.append(starts)
                continue
            inner_operations, inner_arguments = programs[item.shape]
            is_term = np.isin(inner_operations, (PUSH_TERM, ADD_TERM))
            moved = inner_arguments[None, :] + starts[:, None] * is_term[None, :]
            repeated = np.broadcast_to(inner_operations, moved.shape)
            if chained:
                moved = np.concatenate((moved, np.zeros((len(starts), 1), np.int64)), 1)
                repeated = np.concatenate((repeated, np.full((len(starts), 1), ADD, np.int8)), 1)
            flat_operations, flat_arguments = repeated.ravel(), moved.ravel()
            if chained and place == 0:  # the first value has nothing to be added to
                drop = len(inner_operations)
                flat_operations, flat_arguments = np.delete(flat_operations, drop), np.delete(flat_arguments, drop)
            operations.append(flat_operations)
            arguments.append(flat_arguments)
        if not chained:
            operations.append(np.array([ADD_TOGETHER], np.int8))
            arguments.append(np.array([shape.count], np.int64))
        programs.append((np.concatenate(operations), np.concatenate(arguments)))
    return Program(*programs[-1])


@dataclass
class Part:
    """A partial sum while a tree is written: its leaves, its first term, and its items as they would be flattened into a longer chain."""

    size: int
    least: int
    items: list[tuple[int, int, Loops]]
    kind: str = CHAIN


class TreeWriter:
    """Writes a tree by naming additions; a part is used up when it is added to another.

    The result is canonical, so it depends on the unordered tree alone: a chain is followed through the larger of two operands, and where
    both are equal in size both are items (the one with the first term first). Nested shapes at least halve: their depth is at most log2 of
    the leaves.

    Args:
        terms, extras: how many leaves there are.
    """

    def __init__(self, terms: int, extras: int = 0) -> None:
        self.terms, self.extras = terms, extras
        self.shapes: dict[Shape, int] = {}

    def term(self, index: int) -> Part:
        """One term."""
        return Part(1, index, [(TERM, index, ())])

    def extra(self, index: int) -> Part:
        """One extra leaf."""
        return Part(1, self.terms + index, [(EXTRA, index, ())])

    def run(self, start: int, count: int, step: int = 1) -> Part:
        """Terms from `start`, `step` apart, added in turn."""
        return Part(count, min(start, start + (count - 1) * step), [(TERM, start, ((count, step),) if count > 1 else ())])

    def shifted(self, part: Part, by: int) -> Part:
        """The same partial sum of terms further on; the part itself may be used too."""
        return Part(part.size, part.least + by, [(shape, start + by, loops) for shape, start, loops in part.items], part.kind)

    def add(self, left: Part, right: Part) -> Part:
        """The sum of two parts."""
        larger, smaller = (left, right) if (-left.size, left.least) <= (-right.size, right.least) else (right, left)
        total, least = larger.size + smaller.size, min(larger.least, smaller.least)
        if larger.size > smaller.size:
            items = larger.items if larger.kind == CHAIN else [self._item(larger)]
            items.append(self._item(smaller))
            return Part(total, least, items)
        items = [self._item(larger), self._item(smaller)]
        if items[0][0] == TERM and items[1][0] == EXTRA:
            # An extra leaf before the first product is the accumulator's initial value, on which that product is fused.
            items.reverse()
        return Part(total, least, items)

    def chain(self, parts: Sequence[Part]) -> Part:
        """These from left to right."""
        total = parts[0]
        for part in parts[1:]:
            total = self.add(total, part)
        return total

    def pairwise(self, parts: Sequence[Part]) -> Part:
        """Neighbors, then neighbors of those sums, and so on; an odd one out waits."""
        row = list(parts)
        while len(row) > 1:
            row = [self.add(*row[place : place + 2]) if place + 1 < len(row) else row[place] for place in range(0, len(row), 2)]
        return row[0]

    def together(self, parts: Sequence[Part]) -> Part:
        """All of these in one operation."""
        ordered = sorted(parts, key=lambda part: part.least)
        return Part(sum(part.size for part in parts), ordered[0].least, [self._item(part) for part in ordered], TOGETHER)

    def tree(self, part: Part) -> Tree:
        """The tree that ends in this part."""
        root = self._shape(part)
        written = list(self.shapes)
        numbers: dict[int, int] = {}
        numbered: list[Shape] = []

        def number(shape: int) -> int:  # by first use, so that equal trees have equal shapes whatever the order in which they were written
            if shape not in numbers:
                items = tuple(
                    Item(number(item.shape) if item.shape >= 0 else item.shape, item.start, item.loops) for item in written[shape].items
                )
                numbered.append(Shape(written[shape].kind, items))
                numbers[shape] = len(numbered) - 1
            return numbers[shape]

        number(root)
        return Tree(tuple(numbered), self.terms, self.extras)

    def _item(self, part: Part) -> tuple[int, int, Loops]:
        if part.size == 1:
            return part.items[0]
        return self._shape(part), part.least if part.least < self.terms else 0, ()

    def _shape(self, part: Part) -> int:
        base = part.least if part.least < self.terms else 0
        items = [Item(kind, start if kind == EXTRA else start - base, loops) for kind, start, loops in _terms_as_runs(part.items)]
        shape = Shape(part.kind, _as_loops(items))
        return self.shapes.setdefault(shape, len(self.shapes))


def _terms_as_runs(items: list[tuple[int, int, Loops]]) -> list[tuple[int, int, Loops]]:
    """The same items with neighboring terms as the longest runs of a constant step, from left to right."""
    found: list[tuple[int, int, Loops]] = []
    place = 0
    while place < len(items):
        end = place
        while end < len(items) and items[end][0] == TERM:
            end += 1
        if end == place:
            found.append(items[place])
            place += 1
            continue
        group = items[place:end]
        if all(not loops for _, _, loops in group):
            starts = np.array([start for _, start, _ in group], np.int64)
        else:
            starts = np.concatenate([Item(*entry).starts() for entry in group])
        found += _runs(starts)
        place = end
    return found


def _runs(starts: Indices) -> list[tuple[int, int, Loops]]:
    steps = np.diff(starts)
    changes = np.flatnonzero(steps[1:] != steps[:-1]) + 1  # steps[c] is another step than the one before
    found: list[tuple[int, int, Loops]] = []
    place, last = 0, len(starts) - 1
    while place <= last:
        if place == last:
            found.append((TERM, int(starts[place]), ()))
            break
        later = int(np.searchsorted(changes, place, side="right"))
        end = int(changes[later]) if later < len(changes) else last
        found.append((TERM, int(starts[place]), ((end - place + 1, int(steps[place])),)))
        place = end + 1
    return found


def _from_nodes(terms: int, extras: int, children: Sequence[tuple[int, ...]]) -> Tree:
    writer = TreeWriter(terms, extras)
    parts: list[Part | None] = [*map(writer.term, range(terms)), *map(writer.extra, range(extras))]
    for place, members in enumerate(children):
        taken = [parts[member] if 0 <= member < len(parts) else None for member in members]
        given = [part for part in taken if part is not None]
        if len(given) < 2 or len(given) != len(members) or len(set(members)) != len(members):
            raise InputError(
                f"Got {members} as addition {place}. Needed: two or more leaves or earlier additions that are not used yet. A "
                "tree uses each once. List additions in the order in which they can be done."
            )
        for member in members:
            parts[member] = None
        parts.append(writer.add(*given) if len(given) == 2 else writer.together(given))
    left = [part for part in parts if part is not None]
    if len(left) != 1:
        raise InputError(
            f"Got {counted(len(children), 'addition')} of {counted(terms, 'term')} and {extras} "
            f"extra {'leaf' if extras == 1 else 'leaves'}, leaving {len(left)} sums. Needed: a single "
            "sum. Anything else isn't a tree. Check the numbers."
        )
    return writer.tree(left[0])


def _as_loops(items: list[Item]) -> tuple[Item, ...]:
    """Repetitions with a constant step as loops, then repetitions of loops, until nothing repeats."""
    while True:
        merged: list[Item] = []
        place = 0
        while place < len(items):
            item, count = items[place], 1
            step = items[place + 1].start - item.start if place + 1 < len(items) else 0
            while (
                place + count < len(items)
                and item.shape != EXTRA
                and items[place + count] == Item(item.shape, item.start + count * step, item.loops)
            ):
                count += 1
            merged.append(Item(item.shape, item.start, (*item.loops, (count, step))) if count > 1 else item)
            place += count
        if len(merged) == len(items):
            return tuple(merged)
        items = merged
