"""What goes wrong with inputs: the order of channels, their scale, the layout of images."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import torch

from ...backends.knobs import NotApplicable
from ...cases.dependencies import dependencies_of
from .hypothesis import ARITHMETIC, FORMULA, Around

IMAGENET = ((0.485, 0.456, 0.406), (0.229, 0.224, 0.225))
"""Means and standard deviations that torchvision's models expect."""


def _on_argument(place: int, change: Callable[[Any], Any]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    def wrap(function: Callable[..., Any]) -> Callable[..., Any]:
        def run(*arguments: Any, **keywords: Any) -> Any:
            changed = list(arguments)
            changed[place] = change(changed[place])
            return function(*changed, **keywords)

        return run

    return wrap


def _axis_of_colors(shape: Sequence[int]) -> list[int]:
    return [axis for axis in (1, len(shape) - 1, 0) if len(shape) in (3, 4) and shape[axis] in (3, 4)][:1]


def _on_axis(axis: int, dim: int, places: Sequence[int]) -> str:
    """Elements picked along one axis, as code: "[:, [2, 1, 0]]"."""
    if axis == dim - 1:
        return f"[..., {list(places)}]"
    return f"[{':, ' * axis}{list(places)}]"


def _torched(change: Callable[[torch.Tensor], torch.Tensor]) -> Callable[[Any], Any]:
    def apply(value: Any) -> Any:
        if isinstance(value, np.ndarray):
            return change(torch.from_numpy(np.ascontiguousarray(value))).numpy()
        return change(value)

    return apply


def input_variations(inputs: Sequence[Any]) -> Iterator[Around]:
    """Ways in which the inputs may be understood otherwise."""
    for place, value in enumerate(inputs):
        if not hasattr(value, "shape") or not hasattr(value, "dtype"):
            continue
        shape = [int(item) for item in value.shape]
        is_float = "float" in str(value.dtype)
        words = f"input {place}"
        for axis in _axis_of_colors(shape):
            colors = [2, 1, 0, *range(3, shape[axis])]
            yield _about("channel order", f"the channels of {words} in BGR order", place, lambda x, axis=axis, colors=colors: x.index_select(axis, torch.tensor(colors, device=x.device)),
                         f"reverse the order of the colors on one side: x{_on_axis(axis, len(shape), colors)}")  # fmt: skip
        if is_float and len(shape) >= 3 and _axis_of_colors(shape):
            yield from _scales(place, words, shape, _range(value))
        if len(shape) == 4:
            yield _about(
                "flatten order",
                f"{words} read with channels last (NHWC)",
                place,
                lambda x: x.permute(0, 2, 3, 1).reshape(x.shape),
                "x.permute(0, 3, 1, 2) turns NHWC into NCHW",
            )
            yield _about(
                "flatten order",
                f"{words} read with channels first (NCHW)",
                place,
                lambda x: x.permute(0, 3, 1, 2).reshape(x.shape),
                "x.permute(0, 2, 3, 1) turns NCHW into NHWC",
            )
        if len(shape) >= 2 and shape[-1] == shape[-2] > 1:
            yield _about("transposed weight", f"{words} transposed", place, lambda x: x.transpose(-1, -2), "transpose it on one side")


def _range(value: Any) -> tuple[float, float]:
    tensor = value if isinstance(value, torch.Tensor) else torch.from_numpy(np.ascontiguousarray(value))
    return (float(tensor.min()), float(tensor.max())) if tensor.numel() else (0.0, 0.0)


def _scales(place: int, words: str, shape: Sequence[int], limits: tuple[float, float]) -> Iterator[Around]:
    """Scales in use that suit the range of the numbers: bytes, [0, 1], normalized."""
    remedy = "scale the inputs the same way on both sides"
    low, high = limits
    is_unit, is_bytes = low >= 0 and high <= 1.001, high > 16
    factors = [("divided by 255", 1 / 255), ("divided by 256", 1 / 256)] if is_bytes else [("multiplied by 255", 255.0)] if is_unit else []
    for detail, factor in factors:
        yield _about("input scale", f"{words} {detail}", place, lambda x, factor=factor: x * factor, remedy)
    if is_unit:
        yield _about("input scale", f"{words} moved from [0, 1] to [-1, 1]", place, lambda x: x * 2 - 1, remedy)
    if not is_bytes:
        yield _about("input scale", f"{words} moved from [-1, 1] to [0, 1]", place, lambda x: (x + 1) / 2, remedy)
    for axis in _axis_of_colors(shape):
        if shape[axis] == 3:
            broadcast = [1] * len(shape)
            broadcast[axis] = 3
            mean, deviation = (torch.tensor(entry).reshape(broadcast) for entry in IMAGENET)
            yield _about(
                "input scale",
                f"{words} normalized with ImageNet's mean and deviation",
                place,
                lambda x, m=mean, d=deviation: (x - m.to(x)) / d.to(x),
                remedy,
            )
            yield _about(
                "input scale",
                f"{words} without ImageNet's normalization",
                place,
                lambda x, m=mean, d=deviation: x * d.to(x) + m.to(x),
                remedy,
            )


def _about(name: str, detail: str, place: int, change: Callable[[torch.Tensor], torch.Tensor], remedy: str) -> Around:
    return Around(name, FORMULA, detail, _on_argument(place, _torched(change)), remedy=remedy)


def stored_parameters() -> Iterator[Around]:
    """Parameters and buffers stored in 16 bits."""
    for name in ("bfloat16", "float16"):
        yield Around(
            f"{name} storage", ARITHMETIC, f"parameters stored in {name}", functools.partial(_rounded_parameters, dtype=getattr(torch, name)),
            remedy="load the parameters in the declared precision", reports=("pytorch/pytorch#91597",),
        )  # fmt: skip


def _rounded_parameters(function: Callable[..., Any], dtype: torch.dtype) -> Callable[..., Any]:
    tensors = [
        tensor
        for module in dependencies_of(function).modules
        for tensor in (*module.parameters(), *module.buffers())
        if tensor.dtype == torch.float32
    ]

    def run(*arguments: Any, **keywords: Any) -> Any:
        if not tensors:
            raise NotApplicable("the function has no float32 parameters")
        originals = [tensor.data for tensor in tensors]
        try:
            for tensor in tensors:
                tensor.data = tensor.data.to(dtype).to(tensor.dtype)
            return function(*arguments, **keywords)
        finally:
            for tensor, original in zip(tensors, originals):
                tensor.data = original

    return run
