"""Slices, indices, positions and offsets one off, or left out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from ..calls import Replacement
from ..graph import Graph, Node
from .edit import Edit, integers, joined

OFFSETS = ("diagonal", "shifts", "start", "offset", "padding_idx", "correction")


def line_of_indices(graph: Graph, node: Node) -> Iterator[Edit]:
    """The same slice in several calls of one line (x[:2] -= y[:2]) one off, or left out, in all of them."""
    beside = [other for other in graph.nodes.values() if other.source == node.source and other.path[4:] == node.path[4:]]
    if node.name != "getitem" or len(beside) < 2:
        return
    found: dict[str, list[Edit]] = {}
    for other in beside:
        for edit in shifted_indices(graph, other) if other.name in ("getitem", "setitem") else ():
            found.setdefault(edit.detail, []).append(edit)
    for detail, together in found.items():
        if len(together) > 1:
            yield replace(joined(together), key=("line", detail))


def shifted_indices(_: Graph, node: Node) -> Iterator[Edit]:
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
            yield Edit("shifted by one", f"{step:+d} added to the result of {node.name}", ("value", step), changes)
    for key, present in integers(node):
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
        words = f"index {_index_words(other)} instead of {_index_words(part)}"
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
