"""Promises: what a problem's inputs have in common in every draw (symmetric, sorted, one-hot ...), which no variant may break."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from ..problems.calls import Setting, equal, is_real, leaves, with_leaves
from .grids import on_grid_of, step_of

Test = Callable[[torch.Tensor], bool]
Keep = Callable[[torch.Tensor, torch.Tensor], torch.Tensor]


@dataclass(frozen=True)
class Promise:
    """Something that is true of an input in every draw.

    Attributes:
        name: in words that follow "is" or "has". holds: whether it holds of a tensor. kept: what a changed tensor becomes so that it holds
            again, given the tensor as it was drawn.
    """

    name: str
    holds: Test
    kept: Keep


def _is_square(x: torch.Tensor) -> bool:
    return x.dim() >= 2 and x.shape[-1] == x.shape[-2] > 1


def _close(x: torch.Tensor, y: torch.Tensor) -> bool:
    """Whether they are equal up to the rounding of their format."""
    return torch.allclose(x, y, rtol=0.0, atol=8 * torch.finfo(x.dtype).eps * float(x.abs().max()), equal_nan=True)


def _positive_definite(x: torch.Tensor) -> bool:
    return bool(torch.linalg.cholesky_ex(x.double()).info.eq(0).all())


def _definite(x: torch.Tensor, _: torch.Tensor) -> torch.Tensor:
    wide = x.double()
    size = wide.square().mean().sqrt().clamp_min(1e-30)
    product = wide @ wide.mT / (wide.shape[-1] * size)
    return (product + size * torch.eye(x.shape[-1], dtype=torch.float64)).to(x.dtype)


AWAY, ENOUGH = 2.0, 8
"""Of n uniform numbers, all exceed 2 / n of the largest with probability (1 - 2 / n)^(n - 1), about 0.13; in three draws with 0.002."""


def _is_away(x: torch.Tensor) -> bool:
    """Whether numbers are positive, none as close to zero as random ones come, and not all equal, as scales are initially."""
    known = x[torch.isfinite(x)]
    if known.numel() < ENOUGH:
        return False
    least, most = float(known.min()), float(known.max())
    return 0 < least < most and known.numel() * least >= AWAY * most


def _grid_of(tensors: Sequence[torch.Tensor]) -> Promise:
    """The promise that numbers are multiples of the same power of two as those of all draws."""
    finest = max(step_of(tensor) or 0 for tensor in tensors)
    return Promise(ON_A_GRID, lambda x: (bits := step_of(x)) is not None and bits <= finest, on_grid_of)


def _masked(x: torch.Tensor, drawn: torch.Tensor) -> torch.Tensor:
    """Masked where the drawn numbers are, and as they are where a change made infinity of others."""
    return torch.where(torch.isneginf(drawn) | torch.isinf(x), drawn, x) if x.shape == drawn.shape else drawn


WHOLE = "holds whole numbers"
ON_A_GRID = "holds multiples of a power of two"
AWAY_FROM_ZERO = "is positive, and away from zero"
DEFINITE = "is symmetric and positive definite"
SORTED = "is sorted"
PROMISES = (
    Promise(DEFINITE, lambda x: _is_square(x) and _close(x, x.mT) and _positive_definite(x), _definite),
    Promise("is symmetric", lambda x: _is_square(x) and _close(x, x.mT), lambda x, _: (x + x.mT) / 2),
    Promise("is lower triangular", lambda x: _is_square(x) and torch.equal(x, x.tril()), lambda x, _: x.tril()),
    Promise("is upper triangular", lambda x: _is_square(x) and torch.equal(x, x.triu()), lambda x, _: x.triu()),
    Promise("holds 0 and 1 alone", lambda x: bool(((x == 0) | (x == 1)).all()), lambda _, drawn: drawn),
    Promise(
        "holds rows that sum to 1",
        lambda x: x.dim() > 0 and x.shape[-1] > 1 and bool((x >= 0).all()) and _close(x.sum(-1), torch.ones_like(x.sum(-1))),
        lambda x, _: torch.softmax(x.double(), -1).to(x.dtype),
    ),
    Promise(
        "holds rows of norm 1",
        lambda x: x.dim() > 1 and x.shape[-1] > 1 and _close(x.norm(dim=-1), torch.ones_like(x.norm(dim=-1))),
        lambda x, drawn: torch.where(x.norm(dim=-1, keepdim=True) > 0, x / x.norm(dim=-1, keepdim=True), drawn),
    ),
    Promise(
        SORTED,
        lambda x: x.dim() > 0 and x.shape[-1] > 2 and bool((x.diff(dim=-1) >= 0).all()) and bool((x.diff(dim=-1) > 0).any()),
        lambda x, _: x.sort(-1).values,
    ),
    Promise(AWAY_FROM_ZERO, _is_away, lambda x, drawn: torch.where(x != 0, x.abs(), drawn)),
    Promise(WHOLE, lambda x: torch.equal(x, x.round()), lambda _, drawn: drawn),
    Promise(ON_A_GRID, lambda x: step_of(x) is not None, on_grid_of),
    Promise("has -inf where it masks", lambda x: bool(torch.isneginf(x).any() and not torch.isposinf(x).any()), _masked),
)
"""In this order: the first that is true of an input is restored in changed tensors."""


SAID_TO_BE_SORTED = {
    False: Promise(SORTED, lambda x: x.dim() > 0 and bool((x.diff(dim=-1) >= 0).all()), lambda x, _: x.sort(-1).values),
    True: Promise(SORTED, lambda x: x.dim() > 0 and bool((x.diff(dim=-1) > 0).all()), lambda x, _: x.sort(-1).values),
}
"""The same where the text says so: of any numbers, however few; by whether no two may be equal."""


def _are_starts(x: torch.Tensor) -> bool:
    """Whether integers say where consecutive pieces start: from 0 on, never decreasing, up to more than there are pieces."""
    return x.dim() == 1 and x.numel() > 2 and int(x[0]) == 0 and bool((x.diff() >= 0).all()) and int(x[-1]) > x.numel()


OF_WHOLE_NUMBERS = (Promise("starts at 0 and never falls", _are_starts, lambda x, drawn: torch.cat([drawn[:1], x[1:].sort().values])),)
"""The same for indices and lengths; how else they relate to other inputs is a `Tie`."""


@dataclass(frozen=True)
class Tie:
    """How integers relate to the length of another input in every draw: as ends or sizes of its pieces, or places in it.

    Attributes:
        place: of the whole numbers. way: "ends at" (in order, from 0 on), "adds up to", "stays below" or "goes up to".
        other, axis: whose length.
    """

    place: int
    way: str
    other: int
    axis: int

    @property
    def words(self) -> str:
        """The tie as a sentence."""
        return f"Input {self.place} {self.way} the length of axis {self.axis} of input {self.other} in every draw."

    def holds(self, tensors: Sequence[torch.Tensor]) -> bool:
        """Whether it is true of the tensors of some arguments."""
        if max(self.place, self.other) >= len(tensors) or tensors[self.other].dim() <= self.axis:
            return False
        numbers, length = tensors[self.place], tensors[self.other].shape[self.axis]
        if self.way in (BELOW, UP_TO):
            return not numbers.numel() or int(numbers.min()) < 0 or int(numbers.max()) < length + (self.way == UP_TO)
        if numbers.dim() != 1 or not numbers.numel() or int(numbers.min()) < 0:
            return False
        if self.way == ADDS_UP:
            return int(numbers.sum()) == length
        return int(numbers[0]) < int(numbers[-1]) == length and bool((numbers.diff() >= 0).all())


ENDS, ADDS_UP = "ends at", "adds up to"
"""Ties of numbers that divide something of that length: where each piece ends, or how long it is."""
BELOW, UP_TO = "stays below", "goes up to"
"""Ties of numbers that may be places. What they are places in keeps its length, because not everything refuses a place that does not
exist."""


def _ties(drawn: Sequence[Sequence[torch.Tensor]]) -> list[Tie]:
    """The ties in every draw."""
    found: list[Tie] = []
    for place, numbers in enumerate(drawn[0]):
        if numbers.dtype not in (torch.int32, torch.int64) or numbers.numel() < 2:
            continue
        for other, axis in [(other, axis) for other, tensor in enumerate(drawn[0]) for axis in range(tensor.dim()) if other != place]:
            ties = [Tie(place, way, other, axis) for way in (ENDS, ADDS_UP, BELOW, UP_TO)]
            held = [tie for tie in ties if all(tie.holds(tensors) for tensors in drawn)]
            found += held[:-1] if len(held) > 1 and held[-1].way == UP_TO else held
    return found


class Promises:
    """What the inputs of a problem have in common.

    Args:
        draws: settings from several seeds, with the same structure.

    Attributes:
        of: what each input is promised to be, by its place. zeros: inputs that are all zero in every draw, as a state is at its start: that
            is no promise. alike: inputs that are the same in every draw. ties: what whole numbers have to do with lengths.
    """

    def __init__(self, draws: Sequence[Setting]) -> None:
        drawn = [leaves(draw.arguments) for draw in draws]
        self._drawn = drawn[0]
        self.ties = _ties(drawn)
        self.alike = {
            place
            for place, value in enumerate(self._drawn)
            if all(len(found) > place and equal(found[place], value) for found in drawn[1:])
        }
        self.of: dict[int, list[Promise]] = {}
        self.zeros = set[int]()
        for place, value in enumerate(self._drawn):
            if value.numel() < 2 or not (is_real(value) or value.dtype in (torch.int32, torch.int64)):
                continue
            tensors = [found[place] for found in drawn if len(found) > place]
            if is_real(value) and not any(bool((tensor != 0).any()) for tensor in tensors):
                self.zeros.add(place)
                continue
            known = PROMISES if is_real(value) else OF_WHOLE_NUMBERS
            found = [promise for promise in known if all(_holds(promise, tensor) for tensor in tensors)]
            is_whole = any(promise.name == WHOLE for promise in found)  # and so multiples of 1
            found = [
                _grid_of(tensors) if promise.name == ON_A_GRID else promise
                for promise in found if not (is_whole and promise.name == ON_A_GRID)
            ]  # fmt: skip
            if found:
                self.of[place] = found

    def may_reach_zero(self, places: Collection[int]) -> None:
        """No longer keep some inputs away from zero, because the problem's text doesn't."""
        for place in places:
            self.of[place] = [promise for promise in self.of.get(place, []) if promise.name != AWAY_FROM_ZERO]

    def stay_sorted(self, places: Mapping[int, bool]) -> None:
        """Keep some inputs in order, because the problem's text says so, also those too short to show it.

        Args:
            places: of the inputs, and whether no two numbers may be equal.
        """
        for place, is_strict in places.items():
            found = [promise for promise in self.of.get(place, []) if promise.name != SORTED]
            self.of[place] = [*found, SAID_TO_BE_SORTED[is_strict]]

    @property
    def definite(self) -> set[int]:
        """The places of inputs that are symmetric and positive definite."""
        return {place for place, found in self.of.items() if any(promise.name == DEFINITE for promise in found)}

    @property
    def bound(self) -> set[int]:
        """The places of inputs that not every small change leaves valid, so that some of their gradients are arbitrary.

        In a triangular matrix, those of the half that is zero are. Positive numbers stay positive, and sorted ones sorted.
        """
        return {place for place, found in self.of.items() if any(promise.name not in (AWAY_FROM_ZERO, SORTED) for promise in found)}

    @property
    def on_a_grid(self) -> set[int]:
        """The places of inputs whose numbers are all multiples of one power of two."""
        return {place for place, found in self.of.items() if any(promise.name == ON_A_GRID for promise in found)}

    @property
    def words(self) -> tuple[str, ...]:
        """The promises, a sentence for each."""
        alone = [f"Input {place} {promise.name} in every draw." for place, found in self.of.items() for promise in found[:2]]
        return (*alone, *(tie.words for tie in self.ties if tie.way not in (BELOW, UP_TO)))

    def hold(self, arguments: tuple[Any, ...]) -> bool:
        """Whether some arguments keep the promises."""
        tensors = leaves(arguments)
        return all(_holds(promise, tensors[place]) for place, found in self.of.items() if place < len(tensors) for promise in found)

    def kept(self, arguments: tuple[Any, ...]) -> tuple[Any, ...] | None:
        """Changed arguments, adjusted to keep the promises; None if that undoes the change, or is impossible."""
        found: dict[int, torch.Tensor] = {}
        for place, value in enumerate(leaves(arguments)):
            if place not in self.of or place >= len(self._drawn):
                continue
            drawn, changed = self._drawn[place], value
            if value.shape != drawn.shape:
                if not all(_holds(promise, value) for promise in self.of[place]):
                    return None
                continue
            for promise in self.of[place]:
                if not _holds(promise, changed):
                    changed = promise.kept(changed, drawn)
            found[place] = changed if all(_holds(promise, changed) for promise in self.of[place]) else drawn
        kept = with_leaves(arguments, found)
        return kept if all(tie.holds(leaves(kept)) for tie in self.ties) else None


def _holds(promise: Promise, tensor: torch.Tensor) -> bool:
    try:
        return promise.holds(tensor.detach())
    except RuntimeError:  # a shape that it makes no sense for
        return False
