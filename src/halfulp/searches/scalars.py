"""Scalars: where each result depends on one element of each input, every element is an evaluation of its own.

A tensor then asks thousands of numbers at once: first some of every binade. Of one argument, then those around the numbers on which
`actual` was farthest off, each from another cell, in cells that become half as wide in each round. Of several arguments, numbers that are
one, two, four, ... representable numbers away.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from ..floats import Format
from ..ops.deviation import ROUNDING_RMS

FloatArray = npt.NDArray[np.float64]
AT_ONCE = 4096
"""Elements of a tensor: enough that calling the function costs more than its numbers, few enough that many rounds fit in any budget."""
KEPT = 64
"""How many of the worst are looked around at: 48 neighbors of each in a round."""
STALE = 64
"""After so many rounds without anything worse it ends: each has asked about the neighbors of the worst numbers again."""
FRESH = 4
"""One element of so many is drawn from all numbers again, so that a worse place elsewhere is still found."""
CELLS, EACH = 128, 16
"""How many cells are looked into in a round, and at how many numbers each: errors within a cell are as good as random."""
EVERYWHERE = 3
"""Rounds of numbers from everywhere at first: one finds where a function is worst, two more how bad it is there."""
EDGES = 64
"""Edges between numbers and infinities that are closed in on, each by one number in a round."""
INTEGERS = {16: torch.int16, 32: torch.int32, 64: torch.int64}


@dataclass(frozen=True)
class Function:
    """A function of single numbers.

    Attributes:
        computed: its results for tensors of one shape, one for each argument. exact: what they should be, as a float64 tensor.
        target: the format of its arguments and results. signs: for each argument, whether it may be negative.
        peer: an honest implementation: where it is off by more than the noise, so may the function be.
    """

    computed: Callable[..., torch.Tensor]
    exact: Callable[..., torch.Tensor]
    target: Format
    signs: tuple[bool, ...]
    peer: Callable[..., torch.Tensor] | None = None


@dataclass(frozen=True)
class WorstScalars:
    """The arguments on which a function of single numbers was farthest off.

    Attributes:
        arguments: a tensor for each argument, worst first. in_noise: the error of each in units of what rounding does there.
        evaluations: how many numbers the function was asked for.
    """

    arguments: tuple[torch.Tensor, ...]
    in_noise: tuple[float, ...]
    evaluations: int


def worst_scalars(function: Function, evaluations: int, seed: int = 0, goes_on: Callable[[], bool] = lambda: True) -> WorstScalars:
    """Search for the worst arguments.

    Args:
        function: see above. evaluations: how many numbers it may be asked for. goes_on: asked before each round.
    """
    generator = np.random.default_rng(seed)
    if len(function.signs) == 1:
        return _worst_numbers(function, evaluations, generator, goes_on)
    count, done = len(function.signs), 0
    best, errors = [np.empty(0, _unsigned(function.target)) for _ in range(count)], np.empty(0)
    stale = 0
    while done < evaluations and stale < STALE and not np.isinf(errors[:1]).any() and (goes_on() or not done):
        size = min(AT_ONCE, evaluations - done)
        asked = _round(function, best, size, generator)
        done += size
        found = np.concatenate([errors, in_noise_of(function, [_floats(row, function.target) for row in asked])])
        rows = [np.concatenate([known, new]) for known, new in zip(best, asked)]
        _, first = np.unique(np.stack(rows), axis=1, return_index=True)
        order = first[np.argsort(-found[first], kind="stable")][:KEPT]
        stale = stale + 1 if len(errors) and found[order[0]] <= errors[0] else 0
        best, errors = [row[order] for row in rows], found[order]
    return WorstScalars(tuple(_floats(row, function.target) for row in best), tuple(map(float, errors)), done)


class _Numbers:
    """The numbers that a function of one argument was asked for, in order.

    Attributes:
        places: among the representable numbers. errors: in noise. finite: whether the results are finite. done: how many were asked.
    """

    def __init__(self, function: Function) -> None:
        self._function = function
        self._signed = function.signs[0]
        self.largest = _largest(function.target)
        self.least = -self.largest if self._signed else 0
        self.places, self.errors, self.finite = np.empty(0, np.int64), np.empty(0), np.empty(0, bool)
        self.done = 0

    def new(self, places: Any) -> Any:
        """Those that were not asked yet, within the format."""
        inside = np.unique(np.clip(places, self.least, self.largest))
        found = np.minimum(np.searchsorted(self.places, inside), max(0, len(self.places) - 1))
        return inside[self.places[found] != inside] if len(self.places) else inside

    def ask(self, places: Any) -> None:
        """Ask for new ones."""
        x = _floats(_patterns(places, self._function.target, signed=self._signed), self._function.target)
        errors, finite = _judged(self._function, [x])
        self.done += len(places)
        self.places, self.errors = np.concatenate([self.places, places]), np.concatenate([self.errors, errors])
        self.finite = np.concatenate([self.finite, finite])
        order = np.argsort(self.places, kind="stable")
        self.places, self.errors, self.finite = self.places[order], self.errors[order], self.finite[order]

    def worst(self) -> float:
        """The largest error."""
        return float(self.errors.max(initial=-1.0))

    def ends(self) -> Any:
        """Where formats end and begin: the smallest and the largest numbers, powers of two and their neighbors."""
        target = self._function.target
        step = 1 << (target.precision_bits - 1)
        powers = np.arange(0, self.largest + 1, step, dtype=np.int64)
        ends = np.concatenate([powers - 1, powers, powers + 1, np.arange(EACH), self.largest - np.arange(EACH)])
        return np.concatenate([ends, -ends])

    def everywhere(self, count: int, generator: np.random.Generator) -> Any:
        """So many numbers, one from each of equally long parts."""
        edges = np.arange(count, dtype=np.float64) + generator.random(count)
        return np.floor(self.least + edges * ((self.largest - self.least + 1) / count)).astype(np.int64)

    def around(self, width: float, generator: np.random.Generator) -> Any:
        """Numbers around the worst of each cell of a width, for the worst cells; and half-way between numbers and infinities."""
        order = np.argsort(-self.errors, kind="stable")
        _, first = np.unique(self.places[order] // max(1, int(width)), return_index=True)
        worst = self.places[order[np.sort(first)[:CELLS]]]
        reach = max(width, EACH / 4)
        near = (worst[:, None] + generator.uniform(-reach, reach, (len(worst), EACH))).astype(np.int64).ravel()
        edges = np.flatnonzero((self.finite[1:] != self.finite[:-1]) & (np.diff(self.places) > 1))[:EDGES]
        return np.concatenate([near, (self.places[edges] + self.places[edges + 1]) // 2])


def _worst_numbers(function: Function, evaluations: int, generator: np.random.Generator, goes_on: Callable[[], bool]) -> WorstScalars:
    """The search for one argument: from everywhere, then in cells half as wide in each round; and again while that finds worse."""
    known, stale = _Numbers(function), 0
    wanted, width = known.ends(), 0.0
    before = -1.0
    while known.done < evaluations and not np.isinf(known.worst()):
        fresh = known.new(wanted)[: evaluations - known.done]
        fresh = generator.permutation(fresh)
        for start in range(0, len(fresh), AT_ONCE):
            if known.done and not goes_on():
                return _found(known, function)
            known.ask(np.sort(fresh[start : start + AT_ONCE]))
        if width >= 1.0:
            wanted, width = known.around(width, generator), width / 2.0
            continue
        stale = 0 if known.worst() > before else stale + 1
        if stale * EVERYWHERE >= STALE or len(known.places) > known.largest - known.least:
            break
        before = known.worst()
        wanted = known.everywhere(EVERYWHERE * AT_ONCE, generator)
        width = (known.largest - known.least + 1) / (EVERYWHERE * AT_ONCE)
    return _found(known, function)


def _found(known: _Numbers, function: Function) -> WorstScalars:
    order = np.argsort(-known.errors, kind="stable")[:KEPT]
    numbers = _floats(_patterns(known.places[order], function.target, signed=function.signs[0]), function.target)
    return WorstScalars((numbers,), tuple(map(float, known.errors[order])), known.done)


def in_noise_of(function: Function, arguments: Sequence[torch.Tensor]) -> FloatArray:
    """The error of each result in units of what one rounding of each argument and one of the result do.

    Infinite where one side alone is a number and the exact value lies within the format's range; 0 where there is nothing to compare.
    """
    return _judged(function, arguments)[0]


def _judged(function: Function, arguments: Sequence[torch.Tensor]) -> tuple[FloatArray, npt.NDArray[np.bool_]]:
    """The error of each result in noise, see `in_noise_of`, and which results are finite."""
    target = function.target
    computed, exact = function.computed(*arguments).double().numpy(), function.exact(*arguments).double().numpy()
    honest = None if function.peer is None else function.peer(*arguments).double().numpy()
    spread = spread_of(function, arguments, exact)
    inside = np.abs(exact) < target.max_finite * (1.0 - target.unit_roundoff)  # what rounding may carry over the last number
    odd = (inside & ~np.isfinite(computed)) | (np.isnan(exact) != np.isnan(computed))
    comparable = inside & np.isfinite(computed)
    with np.errstate(all="ignore"):
        if honest is not None:
            odd &= np.isfinite(honest) == np.isfinite(exact)
            comparable &= np.isfinite(honest)
            off = np.abs(honest - exact)
            spread = np.maximum(spread, np.where(np.isfinite(off), off, 0.0))
        error = np.abs(computed - exact) / spread
    return np.where(odd, np.inf, np.where(comparable, error, 0.0)), np.isfinite(computed)


def spread_of(function: Function, arguments: Sequence[torch.Tensor], exact: FloatArray) -> FloatArray:
    """How far one rounding of each argument and one of the result move the results, as a standard deviation."""
    target = function.target
    with np.errstate(all="ignore"):
        squares = (ROUNDING_RMS * target.unit_roundoff * np.abs(exact)) ** 2 + target.min_subnormal**2 / 12.0
        for place, argument in enumerate(arguments):
            places = _ordered(_bits(argument, target), target)
            for step in (1, -1):
                beside = _floats(_patterns(places + step, target, signed=True), target)
                move = function.exact(*arguments[:place], beside, *arguments[place + 1 :]).double().numpy() - exact
                apart = np.abs((beside.double() - argument.double()).numpy())
                rounding = ROUNDING_RMS * target.unit_roundoff * np.abs(argument.double().numpy()) + target.min_subnormal / np.sqrt(12.0)
                share = np.where(apart > 0, np.minimum(rounding / apart, 1.0), 0.0) * move
                squares += 0.5 * np.where(np.isfinite(share), share, 0.0) ** 2
    return np.sqrt(squares)


def _round(function: Function, best: list[Any], size: int, generator: np.random.Generator) -> list[Any]:
    """The bit patterns to ask next, a row for each argument."""
    fresh = size if not len(best[0]) else size // FRESH
    rows = [_spread_evenly(fresh, function.target, generator, signed=signed) for signed in function.signs]
    if fresh == size:
        return rows
    parents = generator.integers(0, len(best[0]), size - fresh)
    moved = generator.integers(1, 1 << len(rows), size - fresh)  # which arguments move: at least one
    near: list[Any] = []
    for place, (known, signed) in enumerate(zip(best, function.signs)):
        steps = np.exp2(generator.uniform(0, function.target.precision_bits + 1, size - fresh)).astype(np.int64)
        steps *= np.where(generator.random(size - fresh) < 0.5, -1, 1)
        ordered = _ordered(known[parents], function.target) + np.where(moved >> place & 1, steps, 0)
        near.append(_patterns(ordered, function.target, signed=signed))
    return [np.concatenate([row, more]) for row, more in zip(rows, near)]


def _spread_evenly(count: int, target: Format, generator: np.random.Generator, *, signed: bool) -> Any:
    """Bit patterns of finite numbers, as many of each binade as of any other: one at a random place in each of equally long parts."""
    largest = _largest(target)
    least = -largest if signed else 0
    edges = np.arange(count, dtype=np.float64) + generator.random(count)
    ordered = np.floor(least + edges * ((largest - least + 1) / count)).astype(np.int64)
    return generator.permutation(_patterns(ordered, target, signed=signed))


def _ordered(patterns: Any, target: Format) -> Any:
    """Places among the representable numbers, zero at 0: neighbors differ by 1."""
    sign = 1 << (target.storage_bits - 1)
    wide = patterns.astype(np.int64)
    return np.where(wide & sign, -(wide & (sign - 1)), wide)


def _patterns(ordered: Any, target: Format, *, signed: bool) -> Any:
    """The bit patterns at these places, kept within the finite numbers."""
    sign = 1 << (target.storage_bits - 1)
    size = np.minimum(np.abs(ordered), _largest(target))
    return np.where((ordered < 0) & signed, size | sign, size).astype(_unsigned(target))


def _largest(target: Format) -> int:
    """The place of the largest finite number."""
    return int(_bits(torch.tensor([target.max_finite], dtype=getattr(torch, target.name)), target)[0])


def _bits(numbers: torch.Tensor, target: Format) -> Any:
    return numbers.contiguous().view(INTEGERS[target.storage_bits]).numpy().view(_unsigned(target))


def _unsigned(target: Format) -> Any:
    return np.dtype(f"uint{target.storage_bits}")


def _floats(patterns: Any, target: Format) -> torch.Tensor:
    signed = patterns.view(np.dtype(f"int{target.storage_bits}"))
    return torch.from_numpy(signed.copy()).view(getattr(torch, target.name))
