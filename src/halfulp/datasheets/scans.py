"""The error of a function in ulps over many inputs, or over all there are."""

from __future__ import annotations

# pyright: basic
import math
import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache

import numpy as np
import torch

from .. import compiled
from ..floats import FLOAT32, Format

CHUNK = 1 << 20
"""Inputs at a time: results in both formats (12 MB) stay in the last-level cache."""

SECONDS_AN_ELEMENT = 30e-9
"""What NumPy takes for the error of one result; `python -m benchmarks.start_up` prints it (`numpy_scan`)."""

TORCH_DTYPES = {"float32": torch.float32, "float16": torch.float16, "bfloat16": torch.bfloat16}
PARTS = max(1, os.cpu_count() or 1)


@dataclass
class Scan:
    """What was found so far over the inputs scanned.

    Attributes:
        inputs: how many. compared: of them those with a finite exact value and result.
        max_ulp_error, worst_input, worst_value: the largest error, where, and the exact value there.
        wrong: how many results are not correctly rounded.
        special_mismatches: NaN or infinity on one side only.
    """

    inputs: int = 0
    compared: int = 0
    max_ulp_error: float = 0.0
    worst_input: float = math.nan
    worst_value: float = math.nan
    wrong: int = 0
    special_mismatches: int = 0

    def include(self, inputs: np.ndarray, computed: np.ndarray, exact: np.ndarray, target: Format) -> None:
        """Count results in: all flat, computed in float32 (holds the 16-bit formats), exact in float64."""
        none = np.isnan(inputs)
        if none.any():  # what a function makes of NaN is a property, not an error
            inputs, computed, exact = inputs[~none], computed[~none], exact[~none]
            self.inputs += int(none.sum())
            if not len(inputs):
                return
        for error, place, compared, wrong, special in _errors(computed, exact, _inverse_ulps(target), _overflow_from(target)):
            if compared and (error > self.max_ulp_error or math.isnan(self.worst_input)):
                self.max_ulp_error = max(self.max_ulp_error, error)
                self.worst_input, self.worst_value = float(inputs[place]), float(exact[place])
            self.compared += compared
            self.wrong += wrong
            self.special_mismatches += special
        self.inputs += len(inputs)


def _overflow_from(target: Format) -> float:
    """From this magnitude on a value rounds to infinity: the largest number and half its last place."""
    return target.max_finite + math.ldexp(1.0, target.exponent_max - target.precision_bits)


@cache
def _inverse_ulps(target: Format) -> np.ndarray:
    """1 / ulp for each exponent field of a float64: the last place of a value of exponent e is 2**(max(e, exponent_min) - p + 1)."""
    exponents = np.maximum(np.arange(2048) - 1023, target.exponent_min)
    return np.ldexp(1.0, np.minimum(target.precision_bits - 1 - exponents, 1023))


def _errors(computed: np.ndarray, exact: np.ndarray, inverse_ulps: np.ndarray, overflow: float) -> list[tuple[float, int, int, int, int]]:
    """(largest error, its place, compared, wrong, special mismatches) of each part; one pass over memory, a part to a thread."""
    if not compiled.pays(len(exact) * SECONDS_AN_ELEMENT):
        return [_errors_by_numpy(computed, exact, inverse_ulps, overflow, 0, len(exact))]
    from .kernels import errors_of

    edges = np.linspace(0, len(exact), PARTS + 1).astype(np.int64).tolist()
    return list(_threads().map(lambda low, high: errors_of(computed, exact, inverse_ulps, overflow, low, high), edges[:-1], edges[1:]))


@cache
def _threads() -> ThreadPoolExecutor:
    # Not numba's own threads: starting them changes how many threads PyTorch uses.
    return ThreadPoolExecutor(PARTS)


def _errors_by_numpy(
    computed: np.ndarray, exact: np.ndarray, inverse_ulps: np.ndarray, overflow: float, low: int, high: int
) -> tuple[float, int, int, int, int]:
    """The same as `kernels.errors_of`."""
    r, y = exact[low:high], computed[low:high].astype(np.float64)
    with np.errstate(all="ignore"):
        regular = (np.abs(r) < overflow) & (np.abs(y) < np.inf)
        same = (np.isnan(r) & np.isnan(y)) | ((np.abs(r) >= overflow) & (y == np.where(r > 0, np.inf, -np.inf)))
        exponents = (r.view(np.uint64) >> np.uint64(52)) & np.uint64(2047)
        error = np.where(regular, np.abs(y - r) * inverse_ulps[exponents], -1.0)
    place = int(error.argmax()) if len(error) else 0
    compared = int(np.count_nonzero(regular))
    where = low + place if compared else min(low, len(exact) - 1)
    largest = max(float(error[place]), 0.0) if compared else 0.0
    return largest, where, compared, int(np.count_nonzero(error > 0.5)), int(np.count_nonzero(~regular & ~same))


def all_numbers(target: Format, start: int = 0) -> Iterator[torch.Tensor]:
    """Every number of a format, as chunks of tensors, NaN included; from a bit pattern on."""
    total = 1 << target.storage_bits
    for first in range(start, total, CHUNK):
        count = min(CHUNK, total - first)
        if target == FLOAT32:
            patterns = torch.arange(first, first + count, dtype=torch.int64).to(torch.int32)
            yield patterns.view(torch.float32)
        else:
            patterns = torch.arange(first, first + count, dtype=torch.int32).to(torch.int16)
            yield patterns.view(TORCH_DTYPES[target.name])


def sampled_numbers(target: Format, count: int, seed: int) -> torch.Tensor:
    """Numbers spread evenly over the bit patterns (so over exponents), and as many uniform in [-8, 8], where functions are mostly used."""
    generator = torch.Generator().manual_seed(seed)
    spacing = (1 << 32) // count
    patterns = torch.arange(count, dtype=torch.int64) * spacing + torch.randint(0, spacing, (count,), generator=generator)
    spread = patterns.to(torch.int32).view(torch.float32)
    near = torch.rand(count, generator=generator) * 16 - 8
    return torch.cat((spread, near)).to(TORCH_DTYPES[target.name])


def scan(
    scanned: Scan,
    inputs: torch.Tensor,
    function: Callable[[torch.Tensor], np.ndarray],
    exact: Callable[[torch.Tensor], torch.Tensor],
    target: Format,
) -> None:
    """Run a function and its reference over inputs and count the results in."""
    computed = function(inputs)
    wide = exact(inputs.double())
    scanned.include(inputs.float().numpy(), np.ascontiguousarray(computed, dtype=np.float32), wide.contiguous().numpy(), target)
