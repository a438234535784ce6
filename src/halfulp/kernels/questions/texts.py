"""Questions that a problem's text suggests: formats that it names, NaN, infinities, ties to even."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator
from dataclasses import replace

import torch

from ..problems.calls import Setting, is_real, leaves, with_leaves
from ..promises.promises import Promises
from ..promises.ranges import ranges_of
from ..promises.stated import Stated
from .question import FAR_FROM_ZERO, FAR_MEAN, Question, keeps_apart, kept_question, shifted


def format_questions(given: Setting, promises: Promises, stated: Stated) -> Iterator[Question]:
    """The inputs in other formats that the problem names: in wider ones with the parameters, in shorter ones first without them.

    In float32 and float64 also far from zero; shorter formats can't tell such numbers apart.
    """
    for kind in stated.kinds:
        changes = {place: tensor.to(kind) for place, tensor in enumerate(leaves(given.arguments)) if is_real(tensor)}
        alone = replace(given, arguments=with_leaves(given.arguments, changes))
        state = {name: tensor.to(kind) if is_real(tensor) else tensor for name, tensor in given.state.items()}
        both = replace(alone, state=state)
        first, second = (both, alone) if kind is torch.float64 else (alone, both)
        words = f"the inputs in {str(kind).removeprefix('torch.')}"
        yield Question("formats", words, first, otherwise=second if state else None, promised=True)
        if torch.finfo(kind).max < BY_FAR**2:  # squares of such numbers overflow, and what is normalized doesn't
            large = {place: tensor * BY_FAR for place, tensor in changes.items()}
            settings = [replace(found, arguments=with_leaves(given.arguments, large)) for found in (first, second)]
            label = f"{words}, and {BY_FAR:g} times larger"
            yield Question("formats", label, settings[0], otherwise=settings[1] if state else None)
        away = {place: shifted(tensor, FAR_MEAN) for place, tensor in changes.items()}
        away = {place: tensor for place, tensor in away.items() if tensor is not None}
        arguments = with_leaves(alone.arguments, away)
        if away and keeps_apart(kind, FAR_MEAN) and promises.hold(arguments):
            settings = [replace(found, arguments=arguments) for found in (first, second)]
            label = f"{words}, {FAR_FROM_ZERO}"
            yield Question("formats", label, settings[0], otherwise=settings[1] if state else None)


def text_questions(given: Setting, promises: Promises, stated: Stated) -> Iterator[Question]:
    """What the text suggests: few numbers left by a mask, numbers half-way between integers."""
    floats = {place: tensor for place, tensor in enumerate(leaves(given.arguments)) if is_real(tensor) and tensor.dim()}
    yield from _special_questions(given, floats, promises, stated)
    for called, size in zip(("smallest", "largest"), stated.magnitude_range or ()):
        scaled = {place: _scaled_to(tensor, size, called) for place, tensor in floats.items() if bool((tensor != 0).any())}
        yield from kept_question(f"numbers at the {called} magnitude that the problem allows, {size:g}", given, scaled, promises)
    yield from _range_questions({place: ends for place, ends in ranges_of(given, stated).items() if place in floats}, given, promises)
    for pair in stated.compared(given):
        yield from _equal_questions(pair, floats, given, promises)
    if stated.overflows:
        largest = {place: _near_the_largest(tensor) for place, tensor in floats.items() if tensor.numel()}
        yield from kept_question("numbers up to the largest of their format", given, largest, promises)
    if stated.exact or stated.rounds:
        below = {place: _below_powers(tensor) for place, tensor in floats.items() if tensor.numel()}
        for question in kept_question("numbers next below powers of two", given, below, promises):
            yield replace(question, exact=stated.exact)
    yield from half_way_questions(given, promises, stated)


def _equal_questions(pair: tuple[int, int], floats: dict[int, torch.Tensor], given: Setting, promises: Promises) -> Iterator[Question]:
    """Each number of the shorter of two inputs once in the longer one, where the text compares them.

    Only numbers between the smallest and the largest of the longer one: a limit that the text sets it may not be reached.
    """
    if not floats.keys() >= set(pair):
        return
    few, many = sorted(pair, key=lambda place: floats[place].numel())
    mixed, own = floats[many].clone().reshape(-1), floats[few].reshape(-1).to(floats[many].dtype)
    if not 0 < own.numel() < mixed.numel():
        return
    inside = own[(own > mixed.min()) & (own < mixed.max())].unique()
    if inside.numel():
        mixed[torch.linspace(0, mixed.numel() - 1, inside.numel()).long()] = inside
        label = f"numbers of input {few} in input {many}"
        yield from kept_question(label, given, {many: mixed.reshape(floats[many].shape)}, promises)


def _range_questions(ranges: dict[int, tuple[float, float]], given: Setting, promises: Promises) -> Iterator[Question]:
    """Numbers all over their ranges, and at either end of them: in each input, and first in all of them, whose products are largest there.

    Near an end, sums of several inputs have one sign.
    """
    tensors = leaves(given.arguments)
    changed: dict[str, dict[int, torch.Tensor]] = {}
    words: dict[tuple[str, int], str] = {}
    for place, (low, high) in ranges.items():
        share = torch.rand(tensors[place].shape, generator=torch.Generator().manual_seed(place), dtype=torch.float64) * (high - low)
        ends = {
            "over the range": (low + share, f"{low:g} to {high:g}"),
            "near the smallest number": (low + share / END, f"{low:g}"),
            "near the largest number": (high - share / END, f"{high:g}"),
        }
        for end, (numbers, said) in ends.items():
            changed.setdefault(end, {})[place] = numbers.to(tensors[place].dtype).clamp(low, high)
            words[end, place] = f"input {place} {end} that the problem allows it, {said}"
    for end, inputs in changed.items() if len(ranges) > 1 else ():
        yield from kept_question(f"each input {end} that the problem allows it", given, inputs, promises)
    for place in ranges:
        for end, inputs in changed.items():
            yield from kept_question(words[end, place], given, {place: inputs[place]}, promises)


def unit_questions(given: Setting, promises: Promises, stated: Stated, tables: Collection[str]) -> Iterator[Question]:
    """Ties with all parameters at 1: after division by a scale, numbers half-way between integers are no longer ties.

    Args:
        tables: see `tables_of`.
    """
    state = {name: torch.ones_like(own) if is_real(own) and name not in tables else own for name, own in given.state.items()}
    for question in half_way_questions(replace(given, state=state), promises, stated) if state else ():
        yield replace(question, label=f"{question.label}, every parameter and buffer 1")


def half_way_questions(given: Setting, promises: Promises, stated: Stated) -> Iterator[Question]:
    """Numbers half-way between integers, where the text says that something is rounded."""
    floats = {place: tensor for place, tensor in enumerate(leaves(given.arguments)) if is_real(tensor) and tensor.dim()}
    for most in HALF_WAY if stated.rounds else ():
        changed = {place: _half_way(tensor, most) for place, tensor in floats.items() if tensor.numel()}
        for question in kept_question(f"numbers half-way between whole ones, the largest {most:g}", given, changed, promises):
            yield replace(question, exact=True)


def _special_questions(given: Setting, floats: dict[int, torch.Tensor], promises: Promises, stated: Stated) -> Iterator[Question]:
    """NaN and infinities where the text allows them: in places, in pieces, nearly everywhere."""
    for value, places in stated.specials.items():
        for place in places:
            generator = torch.Generator().manual_seed(place)
            some = floats[place].masked_fill(torch.rand(floats[place].shape, generator=generator) < SOME, value)
            if not _has_left(some, stated.left):
                continue
            yield from kept_question(f"{value} here and there in input {place}", given, {place: some}, promises)
    for place, tensor in floats.items():
        if place in stated.specials.get(-math.inf, ()) and tensor.shape[-1] > LEFT >= stated.left:
            order = torch.rand(tensor.shape, generator=torch.Generator().manual_seed(place)).argsort(-1)
            masked = tensor.masked_fill(order >= LEFT, -torch.inf)
            yield from kept_question(f"all but {LEFT} numbers of each row of input {place} -inf", given, {place: masked}, promises)
        for value in (value for value in (math.nan, -math.inf) if place in stated.specials.get(value, ())):
            for axis, length in enumerate(tensor.shape):
                masked = tensor.clone()
                masked.narrow(axis, 0, length // 2).fill_(value)
                if not _has_left(masked, stated.left):
                    continue
                yield from kept_question(f"the first half of axis {axis} of input {place} {value}", given, {place: masked}, promises)


def _has_left(tensor: torch.Tensor, least: int) -> bool:
    """Whether every row has so many finite numbers."""
    return not least or not tensor.numel() or int(torch.isfinite(tensor).sum(-1).min()) >= least


BY_FAR = 300.0
"""Times larger: float16 can hold the number, but not its square."""
SOME = 0.05
"""The share of an input that becomes NaN or infinite: most rows have one, and some have none."""
LEFT = 3
"""How many numbers a mask leaves: fewer than are chosen."""
END = 8
"""Numbers in the last eighth of a range are near its end: of a range around zero they have one sign, and they still differ."""
HALF_WAY = (127.0, 7.0)
"""The largest integers of 8 and 4 bits. If they are the largest of a row, a scale computed from it is 1, and ties are exact."""


def _scaled_to(tensor: torch.Tensor, size: float, called: str) -> torch.Tensor:
    """The same numbers, scaled so that the smallest or the largest magnitude, zeros aside, is that size."""
    sizes = tensor.double().abs()
    known = sizes[torch.isfinite(sizes) & (sizes > 0)]
    return (tensor.double() * (size / float(known.min() if called == "smallest" else known.max()))).to(tensor.dtype)


def _near_the_largest(tensor: torch.Tensor) -> torch.Tensor:
    """Numbers with the same signs and order, from half the largest of their format up to it: the sum of any two overflows."""
    share = (0.5 + tensor.double().abs() / (2 * tensor.double().abs().max())).nan_to_num(nan=1.0)
    return torch.where(tensor < 0, -1.0, 1.0).to(tensor.dtype) * (share * torch.finfo(tensor.dtype).max).to(tensor.dtype)


def _below_powers(tensor: torch.Tensor) -> torch.Tensor:
    """The numbers just below powers of two, of the same size as these: a rounded logarithm takes them for the power."""
    powers = torch.exp2(torch.ceil(torch.log2(tensor.abs().double()))).to(tensor.dtype)
    below = powers * (1 - torch.finfo(tensor.dtype).eps / 2)
    return torch.where(torch.isfinite(tensor) & (tensor != 0), below.copysign(tensor), tensor)


def _half_way(tensor: torch.Tensor, most: float) -> torch.Tensor:
    """Integers plus a half, scaled in proportion; the largest of each row is an integer."""
    largest = tensor.abs().amax(-1, keepdim=True)
    scaled = torch.where(largest > 0, tensor / largest, 0.0).nan_to_num() * most
    halves = torch.floor(scaled).clamp(1 - most, most - 2) + 0.5
    return torch.where(tensor.abs() == largest, most * torch.sign(tensor), halves).to(tensor.dtype)
