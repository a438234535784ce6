"""Scalars: where each result depends on one element of each input, every element is an evaluation of its own.

A tensor then asks thousands of numbers at once: first some of every binade, then, around those on which `actual` was farthest off, numbers
that are one, two, four, ... representable numbers away.
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


def in_noise_of(function: Function, arguments: Sequence[torch.Tensor]) -> FloatArray:
    """The error of each result in units of what one rounding of each argument and one of the result do.

    Infinite where one side alone is a number and the exact value lies within the format's range; 0 where there is nothing to compare.
    """
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
    return np.where(odd, np.inf, np.where(comparable, error, 0.0))


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
