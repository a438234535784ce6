"""Edits: small changes of the calls around a place that no catalogue names: an op left out, moved, or given another operand.

Each is an experiment like any other: the function runs with the edit made, and what becomes of the difference is measured. They are tried
where the difference begins and nowhere else: anywhere else there are too many. What a line of code computes in a loop, or for several
callers, is edited each time.
"""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch

from .calls import Call, Replacement, tensors_in
from .graph import WRITES, Given, Graph, Made, Name, Node, names_in, with_tensors
from .hypotheses import FORMULA
from .signatures import parameters_of
from .trial import Trial

CALLS = 24
"""So many calls around a place are edited, those nearest to where the difference was seen."""
OPERANDS = 12
"""So many other values are tried as an operand."""
AXES = 5
"""Of tensors with more axes than this none is turned round: images in batches have four, patches of them five."""
ONE_BY_ONE = 3
"""Calls from one place in the code are edited one by one too where they are no more than this: several layers, not the steps of a loop."""


@dataclass(frozen=True)
class Edit:
    """One change of a graph.

    Attributes:
        name: what kind it is. detail: in words that end "behaves like ... with". key: what it does, relative to the call: the same for
            calls that are edited alike.
        changes: what calls compute instead. needs: calls whose operands and results these read.
    """

    name: str
    detail: str
    key: tuple[Any, ...]
    changes: Mapping[int, Replacement]
    needs: frozenset[int] = frozenset()


Maker = Callable[[Graph, Node], Iterator[Edit]]


def edits(graph: Graph, others: Graph, at: Iterable[int], others_at: Iterable[int]) -> Iterator[Edit]:
    """The edits of one side around a place, simple ones first.

    Args:
        graph: of the side that is edited, others: of the other one. at, others_at: the calls of each at the place.
    """
    here = _around(graph, at)
    added = _adding(others, _around(others, others_at))
    for make in (
        _left_out,
        _swapped,
        _operands,
        _axes,
        _shifted_indices,
        _line_of_indices,
        _exchanged,
        _reordered,
        _turned,
        _regrouped,
        _moved,
        added,
    ):
        for node in here:
            yield from _everywhere(graph, node, make)


def trial_of(edit: Edit, graph: Graph, side: str, rank: int) -> Trial:
    """The trial that makes an edit."""
    node = graph.nodes[min(edit.changes)]
    other = "actual" if side == "expected" else "expected"
    where = f"{node.name} ({node.source})" if node.source else node.name
    return Trial(
        edit.name, FORMULA, edit.detail, side, remedy=f"`{other}` has {edit.detail}, `{side}` does otherwise: compare the two lines", place=where,
        changes=edit.changes, rank=rank, first_only=True, calls=frozenset(graph.nodes[number].name for number in edit.changes), needs=edit.needs,
    )  # fmt: skip


def _around(graph: Graph, at: Iterable[int]) -> list[Node]:
    """The calls at a place, then those that make what they read or read what they make; the last ones first, one of each place in the code."""
    own = sorted((number for number in at if number in graph.nodes), reverse=True)
    beside = {made for number in own for made in graph.made_from(number)} | {reader for number in own for reader in graph.reading(number)}
    # What reads the same values before: an assignment to a part of one is such a call.
    beside |= {reader for number in own for name in graph.nodes[number].operands for reader in graph.readers[name] if reader < number}
    found: dict[tuple[Any, ...], Node] = {}
    for number in (*own, *sorted(beside - set(own), reverse=True)):
        found.setdefault(graph.nodes[number].path, graph.nodes[number])
    return list(found.values())[:CALLS]


def _everywhere(graph: Graph, node: Node, make: Maker) -> Iterator[Edit]:
    """The edits of a call: wherever the same code runs, then from the same callers only, then by itself where these are few."""
    alike = [other for other in graph.nodes.values() if other.spot == node.spot]
    same_path = [other for other in alike if other.path == node.path]
    groups: list[Sequence[Node]] = [alike]
    if len(same_path) < len(alike):
        groups.append(same_path)
    if 1 < len(same_path) <= ONE_BY_ONE:
        groups += [[other] for other in same_path]
    found: dict[int, dict[tuple[Any, ...], Edit]] = {}
    for other in alike:
        found[other.number] = {}
        with contextlib.suppress(Exception):  # an edit that doesn't suit an unusual call is not made there
            for edit in make(graph, other):
                found[other.number].setdefault(edit.key, edit)
    own: dict[tuple[Any, ...], Edit] = {}
    for other in alike:
        own = {**found[other.number], **own}
    for key in own:
        for group in groups:
            together = [found[other.number][key] for other in group if key in found[other.number]]
            if together:
                yield _joined(together)


def _joined(together: Sequence[Edit]) -> Edit:
    changes = {number: change for edit in reversed(together) for number, change in edit.changes.items()}
    # In the first round of a loop values come from before it: the last one has their usual names.
    return replace(together[-1], changes=changes, needs=frozenset(number for edit in together for number in edit.needs))


# What a changed call computes


def _run_on(node: Node, tensor_of: Callable[[Name], torch.Tensor]) -> Any:
    """A call of the graph, run again on these tensors."""
    keywords = {key: with_tensors(value, tensor_of) for key, value in node.keywords.items()}
    return node.function(*with_tensors(node.arguments, tensor_of), **keywords)


def _value(name: Name, call: Call) -> torch.Tensor:
    """A value of this run, while a call is made.

    Raises:
        LookupError: it is not there yet.
    """
    if isinstance(name, Given):
        operands = call.operands if name.number == call.number else call.earlier[name.number].operands
        return operands[name.index]
    return call.earlier[name.number].results[name.index]


def _with(names: Mapping[Name, Name], node: Node) -> Replacement:
    """A call of the graph with other values in some places."""
    return lambda call: _run_on(node, lambda name: _value(names.get(name, name), call))


def _needs(node: Node, names: Mapping[Name, Name] | None = None) -> frozenset[int]:
    found = {name.number for name in (*node.operands, *(names or {}).values())}
    return frozenset(found)


def _like(result: Any, change: Callable[[torch.Tensor], torch.Tensor]) -> Any:
    return change(result) if isinstance(result, torch.Tensor) else result


# Kinds of edits


def _operands(graph: Graph, node: Node) -> Iterator[Edit]:
    """Another value of the same shape as an operand."""
    for place, name in enumerate(dict.fromkeys(node.operands)):
        for other in graph.values_like(name, node.number)[:OPERANDS]:
            names = {name: other}
            earlier = " one round earlier" if graph.words(other) == graph.words(name) and other.number < name.number else ""
            words = f"{graph.words(other)}{earlier} instead of {graph.words(name)}"
            key = (place, *_role(graph, other, node))
            yield Edit("wrong operand", words, key, {node.number: _with(names, node)}, _needs(node, names))
        if graph.shapes[name] == () and name in graph.floats:
            for constant in CONSTANTS:
                compute = _with_constant(node, name, constant)
                words = f"the constant {constant:g} instead of {graph.words(name)}"
                yield Edit("wrong operand", words, (place, constant), {node.number: compute}, _needs(node))


def _role(graph: Graph, name: Name, node: Node) -> tuple[Any, ...]:
    """Which value it is, seen from a call: the same for the same variable in each round of a loop, wherever it came from at first."""
    readers = [number for number in graph.readers.get(name, ()) if number < node.number]
    if readers:
        return "read", readers[-1] - node.number, graph.nodes[readers[-1]].operands.index(name)
    return (type(name).__name__, name.number - node.number if isinstance(name, Made) else name.number, name.index)


def _with_constant(node: Node, name: Name, constant: float) -> Replacement:
    def compute(call: Call) -> Any:
        return _run_on(node, lambda other: torch.full_like(_value(other, call), constant) if other == name else _value(other, call))

    return compute


CONSTANTS = (1.0, 0.0)
"""What stands in place of a number that is computed where a port has none."""


def _swapped(graph: Graph, node: Node) -> Iterator[Edit]:
    """Two operands in each other's place."""
    operands = list(dict.fromkeys(node.operands))
    for (place, first), (other_place, second) in itertools.combinations(enumerate(operands), 2):
        if graph.shapes[first] == graph.shapes[second] or node.name in ("matmul", "mm", "bmm"):
            names = {first: second, second: first}
            words = f"the operands of {node.name} swapped"
            yield Edit("swapped operands", words, (place, other_place), {node.number: _with(names, node)}, _needs(node))


def _left_out(graph: Graph, node: Node) -> Iterator[Edit]:
    """The call, or the block that it ends, handing on what it reads."""
    if node.name in WRITES:
        yield Edit("op left out", "no assignment", ("write",), {node.number: lambda _: None})
        return
    for name in dict.fromkeys(node.operands):
        if (graph.shapes[name],) == node.shapes:
            changes: dict[int, Replacement] = {node.number: lambda call, name=name: _value(name, call).clone()}
            yield Edit("op left out", f"no {node.name}", ("call",), changes, _needs(node))
            break
    block = _block(graph, node)
    if block is not None:
        members, source, words = block
        changes = {members[-1]: lambda call: _value(source, call).clone()}
        yield Edit("op left out", f"no {words}", ("block",), changes, frozenset({source.number, *members}))


AXIS_NAMES = ("dim", "axis", "dim0", "dim1", "dims", "axes")
OFFSETS = ("diagonal", "shifts", "start", "offset", "padding_idx", "correction")


def _axes(graph: Graph, node: Node) -> Iterator[Edit]:
    """Other axes: as many, or one more or less."""
    if not node.operands:
        return
    count = len(graph.shapes[node.operands[0]])
    for key, present in _integers(node):
        if key not in AXIS_NAMES or not 0 < count <= AXES:
            continue
        own = {value % count for value in ([present] if isinstance(present, int) else present)}
        for length in {len(own), len(own) + 1, max(1, len(own) - 1)}:
            for axes in itertools.combinations(range(count), length):
                if set(axes) != own:
                    value = axes[0] if length == 1 else axes
                    words = f"axis {value} instead of {present}"
                    changes: dict[int, Replacement] = {node.number: lambda call, key=key, value=value: call.again(**{key: value})}
                    yield Edit("axis", words, (key, axes), changes)


def _integers(node: Node) -> Iterator[tuple[str, Any]]:
    """The arguments that are whole numbers, by name."""
    names = parameters_of(node.function, node.name)
    for key, value in (*zip(names, node.arguments), *node.keywords.items()):
        is_tuple = isinstance(value, (tuple, list)) and value and all(type(part) is int for part in value)
        if type(value) is int or is_tuple:
            yield key, value


def _line_of_indices(graph: Graph, node: Node) -> Iterator[Edit]:
    """The same slice in several calls of one line (x[:2] -= y[:2]) one off, or left out, in all of them."""
    beside = [other for other in graph.nodes.values() if other.source == node.source and other.path[3:] == node.path[3:]]
    if node.name != "getitem" or len(beside) < 2:
        return
    found: dict[str, list[Edit]] = {}
    for other in beside:
        for edit in _shifted_indices(graph, other) if other.name in ("getitem", "setitem") else ():
            found.setdefault(edit.detail, []).append(edit)
    for detail, together in found.items():
        if len(together) > 1:
            yield replace(_joined(together), key=("line", detail))


def _shifted_indices(_: Graph, node: Node) -> Iterator[Edit]:
    """Slices, indices and offsets one off."""
    changes: dict[int, Replacement]
    if node.name in ("getitem", "setitem") and len(node.arguments) > 1:
        for step in (1, -1):
            for place, words, shifted in _shifted(node.arguments[1], step):
                changes = {node.number: lambda call, shifted=shifted: call.function(call.arguments[0], shifted, *call.arguments[2:])}
                yield Edit("shifted by one" if place >= 0 else "slice", words, (place, step), changes)
        return
    if not node.is_float:  # positions
        for step in (1, -1):
            changes = {node.number: lambda call, step=step: call.again() + step}
            yield Edit("shifted by one", f"{step:+d} on what {node.name} gives", ("value", step), changes)
    for key, present in _integers(node):
        for value in (present + 1, present - 1, -present) if type(present) is int and key in OFFSETS else ():
            if value != present:
                changes = {node.number: lambda call, key=key, value=value: call.again(**{key: value})}
                yield Edit("shifted by one", f"{key} = {value} instead of {present}", (key, value - present), changes)


def _shifted(index: Any, step: int) -> Iterator[tuple[int, str, Any]]:
    parts = index if isinstance(index, tuple) else (index,)
    for place, part in enumerate(parts):
        if isinstance(part, slice) and part != slice(None) and step > 0:
            whole = (*parts[:place], slice(None), *parts[place + 1 :])
            yield -1 - place, f"all instead of {_index_words(part)}", whole if isinstance(index, tuple) else slice(None)
        if type(part) is int:
            other: Any = part + step
            if (other < 0) != (part < 0):
                continue
        elif isinstance(part, slice) and (part.start is not None or part.stop is not None):
            other = _shifted_slice(part, step)
        else:
            continue
        shifted = (*parts[:place], other, *parts[place + 1 :])
        words = f"the index {_index_words(other)} instead of {_index_words(part)}"
        yield place, words, shifted if isinstance(index, tuple) else other


def _shifted_slice(index: slice, step: int) -> slice:
    """A slice one further on; an end that reaches the last element is left out."""
    start, stop = (end + step if type(end) is int else end for end in (index.start, index.stop))
    return slice(start, None if stop == 0 and index.stop == -1 else stop, index.step)


def _index_words(index: Any) -> str:
    if not isinstance(index, slice):
        return str(index)
    ends = ["" if end is None else str(end) for end in (index.start, index.stop)]
    return ":".join([*ends, *([str(index.step)] if index.step is not None else [])])


def _exchanged(graph: Graph, node: Node) -> Iterator[Edit]:
    """Two values in each other's place, for all that read them."""
    for other in graph.nodes.values():
        same_call = other.function is node.function and other.operands == node.operands and other.shapes == node.shapes
        if other.number > node.number and same_call and (other.arguments, other.keywords) != (node.arguments, node.keywords):
            changes = {node.number: _with({}, other), other.number: _with({}, node)}
            words = f"what the lines {_lines(node, other)} take exchanged"
            yield Edit("order of parts", words, ("parts", other.number - node.number), changes, _needs(node) | _needs(other))
    made = Made(node.number, 0)
    for other in graph.values_like(made, node.number)[:OPERANDS] if node.shapes else ():
        readers = {number for name in (made, other) for number in graph.readers.get(name, ()) if number > node.number}
        if len(readers) > 1 and isinstance(other, Made):
            names: dict[Name, Name] = {made: other, other: made}
            words = f"{graph.words(made)} and {graph.words(other)} exchanged"
            needs = frozenset({node.number, other.number, *(number for reader in readers for number in _needs(graph.nodes[reader]))})
            changes = {number: _with(names, graph.nodes[number]) for number in readers}
            yield Edit("wrong operand", words, ("values", other.number - node.number, other.index), changes, needs)


def _lines(*nodes: Node) -> str:
    return " and ".join(dict.fromkeys(node.source.partition(" ")[0].rpartition(":")[2] or node.name for node in nodes))


def _reordered(graph: Graph, node: Node) -> Iterator[Edit]:
    """The next call made first."""
    made = Made(node.number, 0)
    for number in graph.reading(node.number):
        following = graph.nodes[number]
        if graph.readers.get(made) != [number] or len(node.shapes) != 1 or len(following.shapes) != 1:
            continue
        for place, name in enumerate(dict.fromkeys(node.operands)):
            early: dict[Name, Name] = {made: name}
            late: dict[Name, Name] = {name: made}
            changes = {node.number: _with(early, following), number: _with(late, node)}
            words = f"{following.name} before {node.name} instead of after it"
            yield Edit(
                "order of operations", words, (number - node.number, place), changes, _needs(node) | _needs(following) | {node.number}
            )


def _turned(graph: Graph, node: Node) -> Iterator[Edit]:
    """Operands and results transposed, reversed, or shifted by one along an axis."""
    for place, name in enumerate(dict.fromkeys(node.operands)):
        for kind, words, change in _turns(graph.shapes[name]):

            def compute(call: Call, name: Name = name, change: Callable[[torch.Tensor], torch.Tensor] = change) -> Any:
                return _run_on(node, lambda other: change(_value(other, call)) if other == name else _value(other, call))

            yield Edit(kind, f"{graph.words(name)} {words}", (place, words), {node.number: compute}, _needs(node))
    for kind, words, change in _turns(node.shapes[0]) if len(node.shapes) == 1 else ():
        changes: dict[int, Replacement] = {node.number: lambda call, change=change: _like(call.again(), change)}
        yield Edit(kind, f"what {node.name} gives {words}", ("result", words), changes)


def _turns(shape: tuple[int, ...]) -> Iterator[tuple[str, str, Callable[[torch.Tensor], torch.Tensor]]]:
    if len(shape) > AXES:
        return
    for first, second in itertools.combinations(range(len(shape)), 2):
        if shape[first] == shape[second] > 1:
            yield (
                "transposed operand", f"with axes {first} and {second} exchanged",
                lambda tensor, first=first, second=second: tensor.transpose(first, second),
            )  # fmt: skip
    for axis, length in enumerate(shape):
        if length > 1:
            yield "reversed order", f"reversed along axis {axis}", lambda tensor, axis=axis: tensor.flip(axis)
        if length > 2:
            for step in (1, -1):
                yield "shifted by one", f"shifted by {step} along axis {axis}", lambda tensor, axis=axis, step=step: tensor.roll(step, axis)


def _regrouped(graph: Graph, node: Node) -> Iterator[Edit]:
    """An axis split or put together in the other order: blocks instead of neighbors, heads and features exchanged."""
    if node.name in ("permute", "transpose") and len(node.shapes) == 1:
        new = node.shapes[0]
        changes: dict[int, Replacement] = {node.number: lambda call: call.first.reshape(new)}
        yield Edit("layout", f"the numbers of {node.name} read in their old order", ("order",), changes)
        return
    splits = list(_splits(graph, node))
    yield from splits
    for split in splits:  # what is split is often put together again: both in the other order
        for number in sorted(graph.nodes):
            for merge in _merges(graph, graph.nodes[number]) if number > node.number else ():
                if merge.key[1:] == split.key[1:]:
                    both = replace(
                        _joined([split, merge]),
                        detail=f"{split.detail}, and put together so",
                        key=("both", number - node.number, *split.key),
                    )
                    yield both
    yield from _merges(graph, node)


RESHAPING = ("reshape", "view", "unflatten", "flatten")


def _splits(graph: Graph, node: Node) -> Iterator[Edit]:
    if node.name not in RESHAPING or len(node.shapes) != 1 or not node.operands:
        return
    old, new = graph.shapes[node.operands[0]], node.shapes[0]
    for axis in range(len(new) - 1):
        if new[axis] > 1 < new[axis + 1] and _is_prefix(old, new, axis):
            crossed = (*new[:axis], new[axis + 1], new[axis], *new[axis + 2 :])
            changes: dict[int, Replacement] = {
                node.number: lambda call, axis=axis, crossed=crossed: call.first.reshape(crossed).transpose(axis, axis + 1)
            }
            words = f"axis {axis} split into {new[axis + 1]} times {new[axis]} with the first index running faster"
            yield Edit("layout", words, ("split", axis, new[axis], new[axis + 1]), changes)


def _is_prefix(old: tuple[int, ...], new: tuple[int, ...], axis: int) -> bool:
    """Whether the axis and the next one of the new shape come from one axis of the old shape."""
    product = new[axis] * new[axis + 1]
    before = torch.Size(new[:axis]).numel()
    return any(torch.Size(old[:place]).numel() == before and old[place] % product == 0 for place in range(len(old)))


def _merges(graph: Graph, node: Node) -> Iterator[Edit]:
    if node.name not in RESHAPING or len(node.shapes) != 1 or not node.operands:
        return
    old, new = graph.shapes[node.operands[0]], node.shapes[0]
    for axis in range(len(old) - 1):
        if old[axis] > 1 < old[axis + 1] and _is_prefix(new, old, axis):
            changes: dict[int, Replacement] = {node.number: lambda call, axis=axis: call.first.transpose(axis, axis + 1).reshape(new)}
            words = f"the axes {axis} and {axis + 1} put together in the other order"
            yield Edit("layout", words, ("merge", axis, old[axis], old[axis + 1]), changes)


def _moved(graph: Graph, node: Node) -> Iterator[Edit]:
    """A call, or the block that it ends, made at another value of the same shape."""
    for members, source, words in filter(None, (_alone(graph, node), _block(graph, node))):
        result = Made(members[-1], 0)
        for other in (*graph.values_like(result, members[0])[:OPERANDS], *_later(graph, result)[:OPERANDS]):
            if not isinstance(other, Made) or other == source or other.number in members:
                continue
            target = graph.nodes[other.number]
            if target.shapes != (graph.shapes[other],):
                continue
            needs = frozenset(made for number in (*members, target.number) for made in (*_needs(graph.nodes[number]), number))
            changes: dict[int, Replacement] = {
                members[-1]: lambda call, source=source: _value(source, call),
                other.number: _followed_by(graph, members, source),
            }
            detail = f"{words} after {target.name}{_at_line(target)} instead of after {graph.words(source)}"
            yield Edit("order of operations", detail, (len(members), other.number - node.number), changes, needs)


def _later(graph: Graph, name: Name) -> list[Name]:
    shape = graph.shapes[name]
    return sorted(
        (other for other, known in graph.shapes.items() if known == shape and other.number > name.number and isinstance(other, Made)),
        key=lambda other: other.number,
    )


def _at_line(node: Node) -> str:
    line = node.source.partition(" ")[0].rpartition(":")[2]
    return f" in line {line}" if line else ""


def _followed_by(graph: Graph, members: tuple[int, ...], source: Name) -> Replacement:
    """What a call gives, with the calls of a block made on it."""

    def compute(call: Call) -> Any:
        return _block_on(graph, members, source, call.again(), call)

    return compute


def _block_on(graph: Graph, members: tuple[int, ...], source: Name, value: torch.Tensor, call: Call) -> Any:
    known: dict[Name, torch.Tensor] = {source: value}
    result: Any = value

    def tensor_of(name: Name) -> torch.Tensor:
        return known[name] if name in known else _value(name, call)

    for number in members:
        result = _run_on(graph.nodes[number], tensor_of)
        known.update({Made(number, index): tensor for index, tensor in enumerate(tensors_in(result))})
    return result


Block = tuple[tuple[int, ...], Name, str]
"""Calls, the value that they begin with, and what they are called."""


def _alone(graph: Graph, node: Node) -> Block | None:
    if len(node.shapes) != 1:
        return None
    source = next((name for name in node.operands if graph.shapes[name] == node.shapes[0]), None)
    return None if source is None else ((node.number,), source, node.name)


def _block(graph: Graph, node: Node) -> Block | None:
    """The invocation of a function or module that ends with this call, if it takes one value to another one of the same shape."""
    if len(node.shapes) != 1:
        return None
    for depth in range(len(node.blocks), 1, -1):
        path = node.blocks[:depth]
        members = tuple(number for number, other in graph.nodes.items() if other.blocks[:depth] == path)
        if len(members) < 2 or members[-1] != node.number:
            continue
        read = [name for number in members for name in graph.nodes[number].operands]
        outer = [name for name in dict.fromkeys(read) if not (isinstance(name, Made) and name.number in members)]
        sources = [name for name in outer if graph.shapes[name] == node.shapes[0] and name in graph.floats]
        used_outside = any(
            reader not in members
            for number in members[:-1]
            for index in range(len(graph.nodes[number].shapes))
            for reader in graph.readers.get(Made(number, index), ())
        )
        if len(sources) == 1 and not used_outside:
            return (
                members,
                sources[0],
                path[-1].partition(" ")[0] if not path[-1].startswith("module ") else path[-1].removeprefix("module "),
            )
    return None


def _adding(others: Graph, there: Iterable[Node]) -> Maker:
    """What the other side computes from one value, computed here too."""
    kinds: dict[str, Node] = {}
    for node in there:
        operands = list(dict.fromkeys(node.operands))
        if len(operands) == 1 and node.shapes == (others.shapes[operands[0]],):
            kinds.setdefault(f"{node.name} {dict(node.keywords)} {[part for part in node.arguments if not list(names_in(part))]}", node)

    def added(_: Graph, node: Node) -> Iterator[Edit]:
        if len(node.shapes) != 1 or not node.is_float:
            return
        for kind, other in kinds.items():

            def compute(call: Call, other: Node = other) -> Any:
                result = call.again()
                return _run_on(other, lambda _: result)

            numbers = [f"{part:g}" for part in other.arguments if type(part) in (int, float)]
            words = f"{other.name}({', '.join(numbers)})" if numbers else other.name
            yield Edit("op added", f"{words} after {node.name}", (kind,), {node.number: compute})

    return added
