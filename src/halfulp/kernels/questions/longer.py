"""Longer inputs for problems that name no size: tensors that are written out are repeated along their axes."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace

import torch

from ..problems.calls import Setting, is_real, leaves, with_leaves
from ..problems.problem import LARGEST, count_of
from ..promises.promises import Promises
from .question import Question

LENGTHS = (65, 129, 1025)
"""One past 64, 128 and 1,024, the usual sizes of blocks."""


def longer_questions(given: Setting, promises: Promises, constants: Collection[int] = ()) -> Iterator[Question]:
    """Lengthen every axis of one length, in all inputs at once; other tensors stay as they are.

    Args:
        constants: lengths that stay.
    """
    tensors = leaves(given.arguments)
    for length in sorted({length for tensor in tensors for length in tensor.shape if length > 1} - {*constants}):
        for longer in LENGTHS:
            changed = {place: _repeated(tensor, length, longer) for place, tensor in enumerate(tensors) if length in tensor.shape}
            arguments = promises.kept(with_leaves(given.arguments, changed)) if longer > length else None
            if arguments is not None and count_of(setting := replace(given, arguments=arguments)) <= LARGEST:
                yield Question("sizes", f"axes of length {length}: {longer}", setting)


def _repeated(tensor: torch.Tensor, length: int, longer: int) -> torch.Tensor:
    """Repeat a tensor along its axes of one length; the copies are changed, but keep their size, so that no numbers are equal."""
    found = tensor
    for axis, own in enumerate(tensor.shape):
        found = found.index_select(axis, torch.arange(longer) % length) if own == length else found
    if is_real(found):
        generator = torch.Generator().manual_seed(longer)
        found = found * (0.75 + 0.5 * torch.rand(found.shape, generator=generator, dtype=torch.float64)).to(found.dtype)
    return found
