"""Pieces: integers divide an axis by ends or lengths; one piece may hold nearly all of it, and some may be empty."""

from __future__ import annotations

from collections.abc import Iterator

import torch

from ..problems.calls import Setting, leaves
from ..promises.promises import ADDS_UP, ENDS, Promises
from ..promises.stated import Stated
from .question import Question, kept_question


def piece_questions(given: Setting, promises: Promises, stated: Stated) -> Iterator[Question]:
    """One piece with everything that the others can spare; every third piece empty, if the problem's text mentions empty ones."""
    for tie in promises.ties:
        if tie.way not in (ENDS, ADDS_UP):
            continue
        numbers = leaves(given.arguments)[tie.place]
        lengths = numbers.diff(prepend=numbers.new_zeros(1)) if tie.way == ENDS else numbers
        first = int(tie.way == ENDS and int(numbers[0]) == 0)  # what starts at 0 has one number more than there are pieces
        if len(lengths) - first < 2:
            continue
        if stated.empties and tie.way == ENDS:
            ends = numbers.clone()
            ends[1:-1:3] = ends[:-2:3]
            yield from kept_question(f"every third piece that input {tie.place} ends is empty", given, {tie.place: ends}, promises)
            outer = numbers.clone()
            outer[: 2 + first] = 0
            outer[-3:] = numbers[-1]
            if len(lengths) - first > FEWEST:
                label = f"the first and the last pieces that input {tie.place} ends are empty"
                yield from kept_question(label, given, {tie.place: outer}, promises)
        if not stated.bounds:
            uneven = _uneven(lengths, first, least=0 if stated.empties or not bool(lengths[first:].all()) else 1)
            changed = uneven.cumsum(0).to(numbers.dtype) if tie.way == ENDS else uneven
            yield from kept_question(f"one piece of input {tie.place} holds nearly all", given, {tie.place: changed}, promises)


FEWEST = 5
"""Pieces, of which two at either end can be empty, and some are left."""


def _uneven(lengths: torch.Tensor, first: int, least: int) -> torch.Tensor:
    """Lengths with the same sum, all but the last as short as possible."""
    found = torch.full_like(lengths, least)
    found[:first] = 0
    found[-1] += lengths.sum() - found.sum()
    return found
