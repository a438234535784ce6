"""Other axes; operands and results transposed, reversed or shifted along one."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import torch

from ..calls import Replacement
from ..graph import Graph, Node
from .edit import Edit, integers, needs_of, with_operand

AXES = 5
"""Of tensors with more axes than this none is turned round: images in batches have four, patches of them five."""
AXIS_NAMES = ("dim", "axis", "dim0", "dim1", "dims", "axes")


def axes(graph: Graph, node: Node) -> Iterator[Edit]:
    """Other axes: as many, or one more or less."""
    if not node.operands:
        return
    count = len(graph.shapes[node.operands[0]])
    for key, present in integers(node):
        if key not in AXIS_NAMES or not 0 < count <= AXES:
            continue
        own = {value % count for value in ([present] if isinstance(present, int) else present)}
        for length in {len(own), len(own) + 1, max(1, len(own) - 1)}:
            for axes in itertools.combinations(range(count), length):
                if set(axes) != own:
                    value = axes[0] if length == 1 else axes
                    words = f"ax{'is' if isinstance(value, int) else 'es'} {_named(value)} instead of {_named(present)}"
                    changes: dict[int, Replacement] = {node.number: lambda call, key=key, value=value: call.again(**{key: value})}
                    yield Edit("axis", words, (key, axes), changes)


def _named(value: Any) -> str:
    return str(value) if isinstance(value, int) else " and ".join(map(str, value))


def turned(graph: Graph, node: Node) -> Iterator[Edit]:
    """Operands and results transposed, reversed, or shifted by one along an axis."""
    for place, name in enumerate(dict.fromkeys(node.operands)):
        for kind, words, change in _turns(graph.shapes[name]):
            yield Edit(
                kind, f"{graph.words(name)} {words}", (place, words), {node.number: with_operand(node, name, change)}, needs_of(node)
            )
    for kind, words, change in _turns(node.shapes[0]) if len(node.shapes) == 1 else ():
        changes: dict[int, Replacement] = {node.number: lambda call, change=change: _like(call.again(), change)}
        yield Edit(kind, f"the result of {node.name} {words}", ("result", words), changes)


def _like(result: Any, change: Callable[[torch.Tensor], torch.Tensor]) -> Any:
    return change(result) if isinstance(result, torch.Tensor) else result


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
