"""tolerance: rtol and atol for a test, derived from how far rounding moves this function on these inputs."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from ..cases import Case
from ..differences.allowance import MODEL_SLACK, student_quantile
from ..errors import InputError, RunError, shortened
from ..noise import DATA, Noise, noise_of
from ..process.border import answered
from .tolerances import Need, TensorTolerance, Tolerance

FloatArray = npt.NDArray[np.float64]
SAMPLES = 32
"""Passes with noise: four times those of a check, because the tail of Student's t narrows with them (with probability 1e-6 it is
beyond 13.3 spreads for 8 samples and 6.0 for 32), and a tolerance is derived once and used often."""
A_DECADE = 8
"""Points of the picture for each factor of ten in size: 64 points are eight decades, what float32 has between cancelled and largest."""


@answered
def tolerance(
    function: Callable[..., Any],
    inputs: Any,
    declared: object = None,
    *,
    keywords: dict[str, Any] | None = None,
    failure_probability: float = 1e-6,
    draws: int = 4,
    seed: int = 0,
) -> Tolerance:
    """Which rtol and atol does a test of this function need?

    Args:
        function: the function under test, in PyTorch ops. inputs: a tuple of positional arguments, or a function of a seed that returns
            one: then the tolerance covers several draws. declared: the precision that both implementations may use; by default that
            of the inputs. keywords: keyword arguments.
        failure_probability: chance that two honest implementations differ by more at any element of one test.
        draws: how many inputs are drawn where `inputs` is a function. seed: where random numbers start.

    Returns:
        A `Tolerance`; print it for the line to paste and what it means.

    Raises:
        InputError: a probability outside (0, 1), no floating-point output. RunError: the function raised.

    Numerics:
        Each element's spread is sampled (`halfulp.noise.noise_of`: a chain in any order, the worst that is honest); the difference of two
        implementations has sqrt(2) times that, and Student's t with the union bound over elements gives the factor. It is an estimate
        for these inputs: larger ones, or ones that cancel more, need more. Fast products (Winograd, FFT, Strassen) need more too.

    Example:
        >>> import torch
        >>> x, w = torch.ones(4, 64), torch.ones(8, 64)
        >>> found = tolerance(torch.nn.functional.linear, (x, w))
        >>> 1e-6 < found.rtol < 1e-4
        True
    """
    if callable(declared):
        raise InputError(
            "Got a function for `declared`. Needed: one function and its inputs, tolerance(function, inputs). A tolerance says "
            "how far apart two correct implementations of that function may be, so the second one isn't needed. Leave it out."
        )
    if not 0.0 < failure_probability < 1.0:
        raise InputError(
            f"Got failure_probability={failure_probability}. Needed: a number between 0 and 1. It is the chance of a false failure. "
            "Leave it out for 1e-6."
        )
    drawn = [_drawn(inputs, seed + place) for place in range(draws)] if callable(inputs) else [inputs]
    found: dict[str, list[tuple[FloatArray, FloatArray]]] = {}
    precision = ""
    for given in drawn:
        case = Case(function, function, given, declared=declared, keywords=keywords, seed=seed)
        noise = noise_of(case, samples=SAMPLES, rounds=DATA)
        precision = case.declared.name
        formats = {leaf.path: leaf.format for leaf in case.native("expected").outputs}
        for path, leaf in noise.leaves.items():
            if formats.get(path) is not None and leaf.reference.size:
                reach = _reach(noise, leaf.spread, failure_probability)
                found.setdefault(path, []).append((np.abs(leaf.reference), np.where(np.isfinite(reach), reach, 0.0)))
    if not found:
        raise InputError(
            "Got a function without floating-point outputs. Needed: at least one. Integers and booleans have no tolerance: compare them "
            "with torch.equal."
        )
    tensors = tuple(_tensor_tolerance(path, pairs) for path, pairs in found.items())
    rtol = max(tensor.rtol for tensor in tensors)
    return Tolerance(rtol, max(tensor.atol for tensor in tensors), tensors, failure_probability, declared=precision)


def _drawn(inputs: Callable[[int], Any], seed: int) -> Any:
    try:
        return inputs(seed)
    except Exception as error:
        raise RunError(
            f"Got {type(error).__name__} from inputs({seed}): {shortened(str(error))}. Needed: a function of a seed that returns the "
            f"inputs, or a tuple of them. With a function, the tolerance covers several draws. Call inputs({seed}) by itself to see "
            "where it fails."
        ) from error


def _reach(noise: Noise, spread: FloatArray, failure_probability: float) -> FloatArray:
    """How far two honest results may be apart at each element."""
    factor = student_quantile(failure_probability / max(1, spread.size), 2 * (noise.count // 2))
    return math.sqrt(2.0) * MODEL_SLACK * factor * spread


def _tensor_tolerance(path: str, pairs: list[tuple[FloatArray, FloatArray]]) -> TensorTolerance:
    """The rtol that large elements need, and the atol that the others need beyond it."""
    sizes = np.concatenate([size.ravel() for size, _ in pairs])
    reaches = np.concatenate([reach.ravel() for _, reach in pairs])
    finite = np.isfinite(sizes)
    sizes, reaches = sizes[finite], reaches[finite]
    scale = np.max([reach for _, reach in pairs], axis=0) if len({reach.shape for _, reach in pairs}) == 1 else pairs[0][1]
    if not sizes.size or not sizes.max(initial=0.0):
        return TensorTolerance(path, 0.0, _rounded_up(float(reaches.max(initial=0.0))), scale, _needs(sizes, reaches))
    # Elements above the median size have not cancelled: the most that one of them needs relative to itself is the rtol.
    large = sizes >= np.median(sizes)
    rtol = float(np.median(reaches[large] / np.maximum(sizes[large], np.finfo(np.float64).tiny)))
    atol = float(np.max(reaches - rtol * sizes, initial=0.0))
    return TensorTolerance(path, _rounded_up(rtol), _rounded_up(max(atol, 0.0)), scale, _needs(sizes, reaches))


def _needs(sizes: FloatArray, reaches: FloatArray) -> tuple[Need, ...]:
    """The element that needs the most in each bin of sizes; zeros are left out, which no logarithmic axis has."""
    shown = (sizes > 0.0) & (reaches > 0.0)
    sizes, reaches = sizes[shown], reaches[shown]
    if not sizes.size:
        return ()
    bins = np.floor(A_DECADE * np.log10(sizes)).astype(np.int64)
    order = np.lexsort((reaches, bins))
    last = order[np.append(np.flatnonzero(np.diff(bins[order])), len(order) - 1)]
    return tuple(Need(float(size), float(reach)) for size, reach in zip(sizes[last], reaches[last]))


def _rounded_up(value: float) -> float:
    """Two significant digits, rounded up."""
    if value <= 0.0 or not math.isfinite(value):
        return 0.0
    digits = 1 - math.floor(math.log10(value))
    return float(f"{math.ceil(value * 10.0**digits - 1e-9) / 10.0**digits:.2g}")
