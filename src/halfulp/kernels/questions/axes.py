"""Axes: one leading axis more or less, images that are not square, and inputs that a change of sizes makes the reference broadcast."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import replace
from typing import Any

import torch

from ..problems.calls import Setting, leaves, with_leaves
from ..promises.promises import Promises
from .question import Question


def rank_questions(given: Setting, open_axes: Mapping[int, int]) -> Iterator[Question]:
    """One leading axis more, and one fewer, if the problem allows any number of them.

    Args:
        open_axes: the inputs of which it says so, with how many axes they have beside these.
    """
    tensors = leaves(given.arguments)
    leading = {tuple(tensors[place].shape[: tensors[place].dim() - own]) for place, own in open_axes.items()}
    if len(leading) != 1 or not (lengths := leading.pop()):
        return
    more = (2, lengths[0] // 2, *lengths[1:]) if lengths[0] % 2 == 0 else (1, *lengths)
    fewer = (math.prod(lengths),) if len(lengths) > 1 else ()
    for axes in (more, fewer):
        changed = {
            place: (tensors[place] if axes else tensors[place][0]).reshape(*axes, *tensors[place].shape[tensors[place].dim() - own :])
            for place, own in open_axes.items()
        }
        label = f"leading axes of lengths {tuple(axes)} instead of {lengths}" if axes else "no leading axis"
        yield Question("sizes", label, replace(given, arguments=with_leaves(given.arguments, changed)), promised=True)


def axis_questions(given: Setting, axes: Mapping[str, Collection[tuple[int, int]]]) -> Iterator[Question]:
    """Axes of equal length with different names, each shortened by a quarter in turn: images may be square by chance.

    Args:
        axes: the places of inputs and their axes, by the name that the problem's text gives them.
    """
    tensors = leaves(given.arguments)
    lengths = {name: {tensors[place].shape[axis] for place, axis in found} for name, found in axes.items()}
    for name, found in axes.items():
        length = next(iter(lengths[name]))
        if len(lengths[name]) > 1 or length < 4 or sum(own == lengths[name] for own in lengths.values()) < 2:
            continue
        shorter = length - length // 4
        yield Question("sizes", f"axis {name}: {shorter} instead of {length}", _cut(given, found, shorter))


def single_axis_questions(
    given: Setting, axes: Mapping[str, Collection[tuple[int, int]]], promises: Promises, accepts: Callable[[Setting], bool]
) -> Iterator[Question]:
    """Axes cut to length 1, one name at a time. No size of the problem can do that where its code writes an input out, number by number.

    Args:
        axes: see `axis_questions`. One as long as an axis without a name is not cut: that may be the same, and the reference broadcasts it.
        accepts: whether the reference does. One that takes the axis one shorter neither broadcasts 1 nor needs an even number.
    """
    tensors = leaves(given.arguments)
    named = {place for found in axes.values() for place in found}
    nameless = {length for place, tensor in enumerate(tensors) for axis, length in enumerate(tensor.shape) if (place, axis) not in named}
    for name, found in axes.items():
        lengths = {tensors[place].shape[axis] for place, axis in found}
        if len(lengths) > 1 or min(lengths) < 3 or lengths & nameless:
            continue
        shorter, single = (_cut(given, found, length) for length in (min(lengths) - 1, 1))
        if not broadcasts(single.arguments, given) and promises.kept(single.arguments) is not None and accepts(single) and accepts(shorter):
            yield Question("sizes", f"axis {name}: 1 instead of {min(lengths)}", single)


def _cut(given: Setting, axes: Collection[tuple[int, int]], length: int) -> Setting:
    tensors, changed = leaves(given.arguments), dict[int, torch.Tensor]()
    for place, axis in axes:
        changed[place] = changed.get(place, tensors[place]).narrow(axis, 0, length)
    return replace(given, arguments=with_leaves(given.arguments, {place: tensor.contiguous() for place, tensor in changed.items()}))


def broadcasts(arguments: tuple[Any, ...], given: Setting) -> bool:
    """Whether an axis as long as one of a parameter became 1, so that the reference broadcasts it: the problem doesn't promise that."""
    lengths = {length for tensor in given.state.values() for length in tensor.shape}
    pairs = zip(leaves(arguments), leaves(given.arguments))
    return any(after == 1 < before and before in lengths for new, old in pairs for after, before in zip(new.shape, old.shape))
