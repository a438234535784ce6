"""Replaying with PyTorch what has no formula here: the op itself in float64, its inputs moved by one rounding for a sample."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from ..floats.libraries import ROUNDING_RMS
from ..traces import Ref, Step
from .arithmetic import Array
from .replaying import Unknown

_RANDOM = ("rand", "bernoulli", "normal", "uniform", "dropout", "multinomial", "exponential", "empty", "poisson", "geometric", "cauchy")
_PLAIN = ("aten", "prims")


def evaluate_with_torch(step: Step, number: Callable[[int], Array], sample: int | None) -> list[Array | None]:
    """What `replaying.evaluate` gives, computed by PyTorch in float64.

    Raises:
        Unknown: the op draws random numbers, is not PyTorch's own, or does not run on float64.
    """
    namespace, name, overload = (*step.op.split("."), "default", "default")[:3]
    if namespace not in _PLAIN or any(word in name for word in _RANDOM):
        raise Unknown(f"{step.op} can't be run again")
    random = np.random.default_rng((step.index, 0 if sample is None else sample + 1))
    try:
        call = getattr(getattr(getattr(torch.ops, namespace), name), overload)
        arguments = [_tensors(each, number, sample, random) for each in step.arguments]
        keywords = {key: _tensors(each, number, sample, random) for key, each in step.keywords.items()}
        with torch.no_grad():
            result = call(*arguments, **keywords)
    except Exception as error:
        raise Unknown(f"{step.op} does not run in float64 ({type(error).__name__})") from error
    flat = [result] if isinstance(result, torch.Tensor) else list(result) if isinstance(result, (tuple, list)) else []
    outputs = [np.asarray(each.detach().numpy()) if isinstance(each, torch.Tensor) else None for each in flat]
    return (outputs + [None] * len(step.outputs))[: len(step.outputs)]


def _tensors(tree: Any, number: Callable[[int], Array], sample: int | None, random: np.random.Generator) -> Any:
    if isinstance(tree, Ref):
        values = np.array(number(tree.number))
        if sample is not None and values.dtype.kind == "f":
            # One rounding of float32 to each input: the op's own roundings do no better in general.
            values = values * (1.0 + ROUNDING_RMS * 2.0**-24 * random.standard_normal(values.shape))
        return torch.from_numpy(values)
    if isinstance(tree, list):
        return [_tensors(part, number, sample, random) for part in tree]
    if isinstance(tree, dict):
        if tree.keys() == {"dtype"}:
            found = getattr(torch, tree["dtype"])
            return torch.float64 if found.is_floating_point else found
        if tree.keys() == {"device"}:
            return torch.device("cpu")
        if tree.keys() in ({"layout"}, {"memory_format"}):
            return getattr(torch, next(iter(tree.values())))
        raise Unknown("an argument that was not recorded")
    return tree
