"""Subnormal numbers that one side flushes to zero: how many there are, and the case without them."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from ..floats import FLOAT32
from .case import Case
from .dependencies import eager_of
from .trees import tree_map


def flushed(case: Case) -> int:
    """How many results are zero on one side because it flushes subnormal numbers; 0 where something else made them zero.

    Devices and compilers flush in float32, bfloat16 and float64, all numbers or none: a result that holds a subnormal one was not flushed.
    In float16 subnormal numbers are as large as 6e-5, and nothing flushes them. Where no other number is left, nothing is flushed either.
    """
    if case.stored:
        return 0
    sides = [case.native(name).by_path for name in ("actual", "expected")]
    count = larger = 0
    for path, actual in sides[0].items():
        expected = sides[1].get(path)
        if actual.format is None or expected is None or expected.format != actual.format or expected.stored.shape != actual.stored.shape:
            continue
        if actual.format.min_normal > FLOAT32.min_normal:
            continue
        if actual.format.min_normal != case.storage.min_normal:  # what is subnormal in one format is an ordinary number of another
            return 0
        sizes = [np.abs(leaf.numbers()) for leaf in (actual, expected)]
        small = [(size > 0) & (size < actual.format.min_normal) for size in sizes]
        for size, own, other in ((sizes[0], *small), (sizes[1], *reversed(small))):
            zeros = int(np.count_nonzero((size == 0) & other))
            if zeros and own.any():
                return 0
            count += zeros
        larger += int(np.count_nonzero(np.isfinite(sizes[1]) & (sizes[1] >= actual.format.min_normal)))
    return count if larger else 0


def without_subnormals(case: Case) -> Case:
    """The same case with zero in the place of every subnormal result, on both sides and in all precisions."""
    for name in ("actual", "expected"):
        case = case.with_function(name, _flushing(case.side(name).function, case.storage.min_normal))
    return case


def _flushing(function: Callable[..., Any], smallest: float) -> Callable[..., Any]:
    def flush(value: Any) -> Any:
        if isinstance(value, torch.Tensor) and value.is_floating_point() and value.layout == torch.strided:
            return torch.where(value.abs() < smallest, torch.zeros_like(value), value)
        if isinstance(value, (np.ndarray, np.generic)) and value.dtype.kind == "f":
            return np.where(np.abs(value) < smallest, value.dtype.type(0), value)
        return value

    def flushing(*arguments: Any, **keywords: Any) -> Any:
        return tree_map(flush, function(*arguments, **keywords))

    functools.update_wrapper(flushing, function, updated=() if isinstance(function, torch.nn.Module) else ("__dict__",))
    if eager_of(function) is not function:  # what torch.compile made: runs that look inside take the function that it was made from
        flushing._torchdynamo_orig_callable = _flushing(eager_of(function), smallest)  # pyright: ignore[reportFunctionMemberAccess]
    return flushing
