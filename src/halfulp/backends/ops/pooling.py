"""Pooling and resampling of images."""

from __future__ import annotations

import torch
import torch.nn.functional as F

from .op import Op, Size


def _max_pool2d(x: torch.Tensor, *, window: int, stride: int) -> torch.Tensor:
    return F.max_pool2d(x, window, stride)


def _avg_pool2d(x: torch.Tensor, *, window: int, stride: int) -> torch.Tensor:
    return F.avg_pool2d(x, window, stride)


def _interpolate(x: torch.Tensor, *, size: tuple[int, int]) -> torch.Tensor:
    return F.interpolate(x, size=size, mode="bilinear", align_corners=False)


IMAGES = ((1, 3, 16, 16), (2, 16, 28, 28), (1, 7, 15, 13))
WINDOWS = ((2, 2), (3, 2), (3, 1))

POOLING = (
    Op("max_pool2d", "pooling", _max_pool2d, ("x",), (), tuple(Size({"x": x}, {"window": k, "stride": s}) for x, (k, s) in zip(IMAGES, WINDOWS))),
    Op("avg_pool2d", "pooling", _avg_pool2d, ("x",), (), tuple(Size({"x": x}, {"window": k, "stride": s}) for x, (k, s) in zip(IMAGES, WINDOWS))),
    Op("interpolate", "pooling", _interpolate, ("x",), (), tuple(
        Size({"x": x}, {"size": size}) for x, size in zip(IMAGES, ((32, 32), (41, 39), (20, 30)))
    )),
)  # fmt: skip
