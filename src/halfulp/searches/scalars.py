"""Scalars: where each result depends on one element of each input, every element is an evaluation of its own.

What a function of single numbers is, what its errors are measured in, and the places of numbers among the representable ones.
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


def in_noise_of(function: Function, arguments: Sequence[torch.Tensor]) -> FloatArray:
    """The error of each result in units of what one rounding of each argument and one of the result do.

    Infinite where one side alone is a number and the exact value lies within the format's range; 0 where there is nothing to compare.
    """
    return judged_numbers(function, arguments)[0]


def judged_numbers(function: Function, arguments: Sequence[torch.Tensor]) -> tuple[FloatArray, npt.NDArray[np.bool_]]:
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
            places = places_of(bits_of(argument, target), target)
            for step in (1, -1):
                beside = floats_of(patterns_of(places + step, target, signed=True), target)
                move = function.exact(*arguments[:place], beside, *arguments[place + 1 :]).double().numpy() - exact
                apart = np.abs((beside.double() - argument.double()).numpy())
                rounding = ROUNDING_RMS * target.unit_roundoff * np.abs(argument.double().numpy()) + target.min_subnormal / np.sqrt(12.0)
                share = np.where(apart > 0, np.minimum(rounding / apart, 1.0), 0.0) * move
                squares += 0.5 * np.where(np.isfinite(share), share, 0.0) ** 2
    return np.sqrt(squares)


def spread_evenly(count: int, target: Format, generator: np.random.Generator, *, signed: bool) -> Any:
    """Bit patterns of finite numbers, as many of each binade as of any other: one at a random place in each of equally long parts."""
    largest = largest_place(target)
    least = -largest if signed else 0
    edges = np.arange(count, dtype=np.float64) + generator.random(count)
    ordered = np.floor(least + edges * ((largest - least + 1) / count)).astype(np.int64)
    return generator.permutation(patterns_of(ordered, target, signed=signed))


def places_of(patterns: Any, target: Format) -> Any:
    """Places among the representable numbers, zero at 0: neighbors differ by 1."""
    sign = 1 << (target.storage_bits - 1)
    wide = patterns.astype(np.int64)
    return np.where(wide & sign, -(wide & (sign - 1)), wide)


def patterns_of(ordered: Any, target: Format, *, signed: bool) -> Any:
    """The bit patterns at these places, kept within the finite numbers."""
    sign = 1 << (target.storage_bits - 1)
    size = np.minimum(np.abs(ordered), largest_place(target))
    return np.where((ordered < 0) & signed, size | sign, size).astype(unsigned(target))


def largest_place(target: Format) -> int:
    """The place of the largest finite number."""
    return int(bits_of(torch.tensor([target.max_finite], dtype=getattr(torch, target.name)), target)[0])


def bits_of(numbers: torch.Tensor, target: Format) -> Any:
    """The bit patterns of numbers, as an array of unsigned integers."""
    return numbers.contiguous().view(INTEGERS[target.storage_bits]).numpy().view(unsigned(target))


def unsigned(target: Format) -> Any:
    """The dtype of NumPy that holds the bit patterns of a format."""
    return np.dtype(f"uint{target.storage_bits}")


def floats_of(patterns: Any, target: Format) -> torch.Tensor:
    """The numbers of bit patterns."""
    signed = patterns.view(np.dtype(f"int{target.storage_bits}"))
    return torch.from_numpy(signed.copy()).view(getattr(torch, target.name))
