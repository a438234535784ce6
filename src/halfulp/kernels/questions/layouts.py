"""Layouts: the same numbers in another memory layout, for all inputs or for all but one."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace
from typing import Any

import torch

from ...inputs import InputVariant
from ..problems.calls import Setting, is_real, leaves, with_leaves
from .question import Question


def laid_out(arguments: tuple[Any, ...], given: Setting, strided: Collection[int]) -> tuple[Any, ...] | None:
    """The arguments in another layout. Vectors keep theirs if there are other tensors: scales and lengths lie in memory as they were made.

    Args:
        strided: the places of inputs that may lie otherwise. None is returned where nothing does.
    """
    own = leaves(given.arguments)
    vectors = {place: tensor for place, tensor in enumerate(own) if tensor.dim() < 2}
    kept = vectors if len(vectors) < len(own) else {}
    kept |= {place: tensor for place, tensor in enumerate(own) if place not in strided}
    return with_leaves(arguments, kept) if len(kept) < len(own) else None


def first_as_given(variant: InputVariant, given: Setting, strided: Collection[int]) -> Iterator[Question]:
    """Another layout for all tensors but the first: kernels use the strides of one tensor for another."""
    floats = [place for place, tensor in enumerate(leaves(given.arguments)) if is_real(tensor) and tensor.dim() > 1]
    if any(place in strided for place in floats[1:]):
        arguments = with_leaves(variant.inputs, {floats[0]: leaves(given.arguments)[floats[0]]})
        yield Question("layout", f"{variant.label}, but for input {floats[0]}", replace(given, arguments=arguments))


def lies_in_rows(arguments: tuple[Any, ...]) -> bool:
    """Whether the numbers of each row are adjacent in memory."""
    return all(tensor.stride(-1) == 1 or tensor.shape[-1] < 2 for tensor in leaves(arguments) if tensor.dim())


def rows_apart(given: Setting) -> tuple[Any, ...]:
    """The arguments as the first columns of wider matrices."""
    changed: dict[int, torch.Tensor] = {}
    for place, tensor in enumerate(leaves(given.arguments)):
        if tensor.is_floating_point() and tensor.dim() > 1:
            wider = torch.zeros(*tensor.shape[:-1], tensor.shape[-1] + ROOM, dtype=tensor.dtype)
            changed[place] = wider[..., : tensor.shape[-1]].copy_(tensor)
    return with_leaves(given.arguments, changed)


ROOM = 3
"""How many columns wider: rows then no longer begin at a multiple of anything."""
