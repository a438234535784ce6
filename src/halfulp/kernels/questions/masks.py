"""Masks: inputs that say which elements count, changed to exclude the first half, all but one, or everything."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace

import torch

from ..problems.calls import Setting, is_real, leaves, with_leaves
from ..problems.comparisons import comparisons_in
from ..promises.promises import Promises
from ..promises.stated import Stated
from .question import Question
from .whole_numbers import compared

MARKED = (-1, -100)
"""Numbers that mark places and targets that do not count."""
MASKS = ("holds 0 and 1 alone", "holds whole numbers", "has -inf where it masks")
"""The promises that make an input a mask; inputs with further promises (one-hot, triangular) are asked as they are."""


def mask_questions(given: Setting, promises: Promises, stated: Stated, marks: Collection[int] = MARKED) -> Iterator[Question]:
    """Other masks: a half masked at either end; all but one element masked; all masked.

    Rows that are masked as a whole are asked if some of the given ones are, or if the problem's text says what becomes of them: a softmax
    over nothing may be NaN or uniform, depending on how it is written.

    Args:
        marks: the numbers by which whole numbers may say that they don't count; any other negative one may be a place from the end.
    """
    for place, tensor in enumerate(leaves(given.arguments)):
        counts = _what_counts(tensor, marks)
        if counts is None or counts.shape[-1] < 2 or any(promise.name not in MASKS for promise in promises.of.get(place, ())):
            continue
        has_nothing = not bool(counts.any(-1).all())
        places = torch.arange(counts.shape[-1])
        half = counts.shape[-1] // 2
        changes = {
            "the first half masked": _with_one(counts & (places >= half), -1),
            "the second half masked": _with_one(counts & (places < half), 0),
            "all but the last masked": (places == places[-1]).expand(counts.shape),
            "nothing masked": torch.ones_like(counts),
        }
        if has_nothing or stated.nothing:
            rows = torch.arange(counts[..., 0].numel()).reshape(counts.shape[:-1]) % 2 == 0
            changes["every second row masked"] = counts & ~rows[..., None]
            changes["everything masked"] = torch.zeros_like(counts)
        way = _runs(counts)
        if way == FROM_START:
            changes |= {"all but the first masked": (places == 0).expand(counts.shape)}
        for label, changed in changes.items():
            if not torch.equal(changed, counts) and (way in (None, EITHER) or _runs(changed) in (way, EITHER)):
                arguments = with_leaves(given.arguments, {place: _written(changed, tensor)})
                yield Question("values", f"{label} by input {place}", replace(given, arguments=arguments))


def known_marks(text: str, numbers: Collection[str] = ()) -> set[int]:
    """The `MARKED` numbers that a source treats specially: it compares with -1, or asks what is negative; PyTorch itself knows -100.

    Args:
        numbers: names of arguments that are no tensors, such as a window that may be 0.
    """
    found = {value for value, _ in compared(text)}
    others = [each for each in comparisons_in(text) if not each.names or not each.names.issubset(numbers)]
    signs = any(type(value) is int and value in (0, -1) and not each.is_equality for each in others for value in each.values)
    return (found | {-100} | ({-1} if signs else set())) & set(MARKED)


def has_rows_of_nothing(setting: Setting, given: Setting, stated: Stated) -> bool:
    """Whether a mask has a row in which nothing counts, while the problem's have none and its text mentions no such rows."""
    if stated.nothing:
        return False
    masks = [tuple(map(_what_counts, pair)) for pair in zip(leaves(setting.arguments), leaves(given.arguments))]
    return any(new is not None and old is not None and bool(old.any(-1).all()) and not bool(new.any(-1).all()) for new, old in masks)


FROM_START, TO_END, EITHER = -1, 1, 0


def _runs(counts: torch.Tensor) -> int | None:
    """Which part of each row counts, as padding leaves it: `FROM_START` or `TO_END`; None if there are gaps.

    Returns:
        `EITHER` where each row counts as a whole, or not at all.
    """
    steps = counts.to(torch.int8).diff(dim=-1)
    if not bool((steps != 0).any()):
        return EITHER
    return FROM_START if bool((steps <= 0).all()) else TO_END if bool((steps >= 0).all()) else None


def _with_one(counts: torch.Tensor, at: int) -> torch.Tensor:
    """The mask with one element that counts in each row that has none."""
    found = counts.clone()
    found[..., at] |= ~counts.any(-1)
    return found


def _what_counts(tensor: torch.Tensor, marks: Collection[int] = MARKED) -> torch.Tensor | None:
    """Which elements a mask counts; None if it is no mask, which holds booleans, 0 and 1, 0 and -inf, or has marks."""
    if not tensor.dim() or not tensor.numel() or tensor.is_complex() or (tensor.is_floating_point() and not is_real(tensor)):
        return None
    if tensor.dtype is torch.bool:
        return tensor
    if not is_real(tensor) and int(tensor.min()) in marks and bool((tensor >= 0).any()):
        return tensor >= 0
    if bool(((tensor == 0) | (tensor == 1)).all()) and bool((tensor == 0).any()) and bool((tensor == 1).any()):
        return tensor == 1
    if is_real(tensor) and bool(torch.isneginf(tensor).any()) and bool((torch.isneginf(tensor) | (tensor == 0)).all()):
        return tensor == 0
    return None


def _written(counts: torch.Tensor, like: torch.Tensor) -> torch.Tensor:
    """A mask in the same form as another."""
    if is_real(like) and bool(torch.isneginf(like).any()):
        return torch.zeros_like(like).masked_fill(~counts, -torch.inf)
    if not is_real(like) and like.dtype is not torch.bool and int(like.min()) in MARKED:
        return torch.where(counts, torch.where(like >= 0, like, like[like >= 0][0]), like.min()).contiguous()
    return counts.to(like.dtype).contiguous()
