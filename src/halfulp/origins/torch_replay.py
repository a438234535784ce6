"""Replaying with PyTorch what has no formula: the op itself in float64, and with the rounding that `check` gives it, by the same code."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import torch

from ..noise.gaussians import GaussianPool
from ..noise.noise_mode import NoiseMode
from ..noise.rules import OpError
from ..ops import bounded
from ..ops.arithmetic import EXACT, Array, Exact, Rounding
from ..ops.evaluation import NotReplayed, Unknown
from ..process.dispatch import DispatchMode
from ..traces import Ref, Step
from .replayable import approved, call_of, constant_of, dtype_named, sizes_on_meta


def evaluate_with_torch(step: Step, number: Callable[[int], Array], fl: Exact = EXACT) -> list[Array | None]:
    """What `replaying.evaluate` gives, computed by PyTorch in float64; `Rounding` is sampled as `check` samples it (`noise.NoiseMode`).

    Raises:
        Unknown: the op is not in the table of those that may be replayed, its arguments are not safe, or it does not run on float64.
    """
    call_of(step)  # before anything is made for it
    try:
        bounded.checked(
            sum(number(reference).size for reference in _references((step.arguments, step.keywords)))
        )  # a list may repeat one value
    except bounded.TooLarge as error:
        raise NotReplayed(f"{step.op}: {error}") from error
    arguments = [tensors_of(argument, number) for argument in step.arguments]
    keywords = {key: tensors_of(keyword_, number) for key, keyword_ in step.keywords.items()}
    call = approved(step, arguments, keywords)
    try:
        with torch.no_grad():
            if isinstance(fl, Rounding):
                result = _sampled(call, arguments, keywords, fl)
            else:
                with _Sized():
                    result = call(*arguments, **keywords)
    except NotReplayed:
        raise
    except Exception as error:
        raise Unknown(f"{step.op} does not run in float64 ({type(error).__name__})") from error
    flat = [result] if isinstance(result, torch.Tensor) else list(result) if isinstance(result, (tuple, list)) else []
    outputs = [np.asarray(tensor.detach().numpy()) if isinstance(tensor, torch.Tensor) else None for tensor in flat]
    return (outputs + [None] * len(step.outputs))[: len(step.outputs)]


def _sampled(call: Any, arguments: list[Any], keywords: dict[str, Any], fl: Rounding) -> Any:
    """A sample with rounding; from inputs moved by one rounding, where the op's parts need more memory than the traces account for."""

    def run(apart: bool) -> Any:
        mode = NoiseMode(OpError(fl.format), GaussianPool(0, places=zlib.crc32(repr(fl.seed).encode())), apart=apart)
        result = None
        for prepared in (mode.measure(), mode.sample(fl.amplitude)):
            # An op in place would change what the next one reads.
            given, named = [copies_of(argument) for argument in arguments], {key: copies_of(keyword_) for key, keyword_ in keywords.items()}
            with prepared:
                result = call(*given, **named)
        return result

    try:
        with _Sized():
            return run(apart=True)
    except NotReplayed:
        return run(apart=False)


def copies_of(tree: Any) -> Any:
    """The same tensors in memory of their own."""
    if isinstance(tree, torch.Tensor):
        return tree.clone()
    return [copies_of(part) for part in tree] if isinstance(tree, list) else tree


class _Sized(DispatchMode):
    """Refuses an op inside of one that is replayed (PyTorch's formula of it) before it makes more than the traces account for."""

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if not func.is_view and any("Tensor" in str(item.type) for item in func._schema.returns):
            try:
                bounded.checked(sum(sizes_on_meta(func, args, kwargs or {})))
            except bounded.TooLarge as error:
                raise NotReplayed(f"{func.name()}: {error}") from error
        return func(*args, **(kwargs or {}))


def _references(tree: Any) -> Iterator[int]:
    if isinstance(tree, Ref):
        yield tree.number
    elif isinstance(tree, (list, tuple, dict)):
        for part in tree.values() if isinstance(tree, dict) else tree:
            yield from _references(part)


def tensors_of(tree: Any, number: Callable[[int], Array]) -> Any:
    """A recorded argument with tensors in place of references, dtypes in place of their names."""
    if isinstance(tree, Ref):
        return torch.from_numpy(np.array(number(tree.number)))
    if isinstance(tree, list):
        return [tensors_of(part, number) for part in tree]
    if isinstance(tree, dict):
        if tree.keys() == {"dtype"}:
            found = dtype_named(tree["dtype"])
            return torch.float64 if found.is_floating_point else found
        return torch.device("cpu") if tree.keys() == {"device"} else constant_of(tree)
    return tree
