"""Normalizations, and softmax, which is one."""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F

from .op import Op, Size, positive, shifted, wide


def _batch_norm(
    x: torch.Tensor, mean: torch.Tensor, variance: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor, *, layer_eps: float
) -> torch.Tensor:
    return F.batch_norm(x, mean, variance, weight, bias, training=False, eps=layer_eps)


def _layer_norm(x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor, *, layer_eps: float) -> torch.Tensor:
    return F.layer_norm(x, (x.shape[-1],), weight, bias, layer_eps)


def _group_norm(x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor, *, groups: int, layer_eps: float) -> torch.Tensor:
    return F.group_norm(x, groups, weight, bias, layer_eps)


def _rms_norm(x: torch.Tensor, weight: torch.Tensor, *, layer_eps: float) -> torch.Tensor:
    return F.rms_norm(x, (x.shape[-1],), weight, layer_eps)


def _softmax(x: torch.Tensor) -> torch.Tensor:
    return torch.softmax(x, -1)


def _log_softmax(x: torch.Tensor) -> torch.Tensor:
    return torch.log_softmax(x, -1)


X, SCALED = ("x",), ("weight", "bias")
ROWS = ((8, 64), (64, 768), (5, 333))


def _scaled(shape: tuple[int, ...], length: int, **attributes: Any) -> Size:
    return Size({"x": shape, "weight": (length,), "bias": (length,)}, {**attributes, "layer_eps": 1e-5})


def _of_channels(shape: tuple[int, ...]) -> Size:
    channels = (shape[1],)
    return Size({"x": shape, "mean": channels, "variance": channels, "weight": channels, "bias": channels}, {"layer_eps": 1e-5})


NORMALIZATIONS = (
    Op("softmax", "normalization", _softmax, X, (), tuple(Size({"x": shape}) for shape in ((8, 64), (64, 1000), (5, 333))), {"x": wide}),
    Op("log_softmax", "normalization", _log_softmax, X, (), tuple(Size({"x": shape}) for shape in ((8, 64), (64, 1000), (5, 333))), {"x": wide}),
    Op("layer_norm", "normalization", _layer_norm, X, SCALED, tuple(_scaled(shape, shape[-1]) for shape in ROWS), {"x": shifted}),
    Op("rms_norm", "normalization", _rms_norm, X, ("weight",), tuple(Size({"x": shape, "weight": shape[-1:]}, {"layer_eps": 1e-6}) for shape in ROWS)),
    Op("batch_norm", "normalization", _batch_norm, X, ("mean", "variance", "weight", "bias"), tuple(
        _of_channels(shape) for shape in ((2, 8, 8, 8), (4, 32, 14, 14), (1, 7, 9, 5))
    ), {"variance": positive}),
    Op("group_norm", "normalization", _group_norm, X, SCALED, (
        _scaled((2, 8, 8, 8), 8, groups=2), _scaled((2, 32, 14, 14), 32, groups=8), _scaled((1, 9, 7, 5), 9, groups=3),
    ), {"x": shifted}),
)  # fmt: skip
