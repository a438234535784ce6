"""Reductions along the last axis."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from .op import Op, Size, shifted


def _sum(x: torch.Tensor) -> torch.Tensor:
    return x.sum(-1)


def _mean(x: torch.Tensor) -> torch.Tensor:
    return x.mean(-1)


def _var(x: torch.Tensor) -> torch.Tensor:
    return x.var(-1, correction=0)


def _cumsum(x: torch.Tensor) -> torch.Tensor:
    return x.cumsum(-1)


def _of(name: str, function: Callable[..., Any], shapes: tuple[tuple[int, ...], ...], **draws: Any) -> Op:
    return Op(name, "reduction", function, ("x",), (), tuple(Size({"x": shape}) for shape in shapes), draws)


REDUCTIONS = (
    _of("sum", _sum, ((8, 64), (16, 65536), (5, 1001))),
    _of("mean", _mean, ((8, 64), (16, 65536), (5, 1001))),
    _of("var", _var, ((8, 64), (16, 4096), (5, 1001)), x=shifted),
    _of("cumsum", _cumsum, ((8, 64), (16, 1024), (5, 333))),
)
