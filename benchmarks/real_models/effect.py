"""How far a fault moves the outputs in float64: which faults are too small to see.

The rule, stated before anything was run: the effect is the largest |actual - expected| of a floating-point output over the largest |expected| of that output,
both in float64 (in float32 where a model does not run in float64), the largest over outputs, changed buffers included. Below `TOO_SMALL`, ten unit
roundoffs of float32, a fault is reported but left out of the shares.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import torch
from torch import nn

from .pair import Sides

TOO_SMALL = 10 * 2.0**-24


def tensors(value: Any) -> Iterator[torch.Tensor]:
    """The tensors of an output, in order: containers, outputs of models, caches."""
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, dict) or hasattr(value, "to_tuple"):
        for part in (value if isinstance(value, dict) else dict(enumerate(value.to_tuple()))).values():
            yield from tensors(part)
    elif isinstance(value, list | tuple):
        for part in value:
            yield from tensors(part)
    elif hasattr(value, "layers"):  # a cache of transformers
        for layer in value.layers:
            yield from tensors([getattr(layer, "keys", None), getattr(layer, "values", None)])


def in_dtype(value: Any, dtype: torch.dtype) -> Any:
    if isinstance(value, torch.Tensor):
        return value.to(dtype) if value.is_floating_point() else value.clone()
    if isinstance(value, dict):
        return {name: in_dtype(part, dtype) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(in_dtype(part, dtype) for part in value)
    return value


def called(side: Any, inputs: Any) -> Any:
    torch.manual_seed(0)
    return side(**inputs) if isinstance(inputs, dict) else side(*inputs)


@torch.no_grad()
def effect(sides: Sides) -> tuple[float, str]:
    """The effect, and the dtype that it was measured in."""
    for dtype, name in ((torch.float64, "float64"), (torch.float32, "float32")):
        results = []
        try:
            for side in (sides.actual, sides.expected):
                model = copy.deepcopy(side).to(dtype) if isinstance(side, nn.Module) else side
                out = list(tensors(called(model, in_dtype(sides.inputs, dtype))))
                buffers = [value for key, value in model.named_buffers() if "running" in key and "inv_freq" not in key]
                results.append([value.double() for value in (*out, *buffers) if value.is_floating_point()])
        except RuntimeError:
            continue
        largest = 0.0
        for actual, expected in zip(*results, strict=True):
            if actual.shape != expected.shape or not torch.isfinite(actual).all():
                return float("inf"), name
            if expected.numel():
                largest = max(largest, float((actual - expected).abs().max() / expected.abs().max().clamp(min=1e-300)))
        return largest, name
    return float("nan"), "none"
