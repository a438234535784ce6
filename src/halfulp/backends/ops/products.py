"""Products: sums over a dimension of products of two arguments."""

from __future__ import annotations

import torch
import torch.nn.functional as F

from .op import Op, Size

X, XW, XWB = ("x",), ("weight",), ("weight", "bias")


def _linear(rows: int, inner: int, columns: int) -> Size:
    return Size({"x": (rows, inner), "weight": (columns, inner), "bias": (columns,)})


def _pair(left: tuple[int, ...], right: tuple[int, ...]) -> Size:
    return Size({"left": left, "right": right})


def _convolution(x: tuple[int, ...], weight: tuple[int, ...], *, outputs: int = 0, **attributes: int) -> Size:
    return Size({"x": x, "weight": weight, "bias": (outputs or weight[0],)}, attributes)


def _attention(heads: tuple[int, int], queries: int, keys: int, width: int) -> Size:
    return Size({"query": (*heads, queries, width), "key": (*heads, keys, width), "value": (*heads, keys, width)})


PRODUCTS = (
    Op("linear", "product", F.linear, X, XWB, (_linear(8, 64, 32), _linear(32, 1024, 256), _linear(7, 301, 77))),
    Op("matmul", "product", torch.matmul, ("left", "right"), (), (
        _pair((16, 64), (64, 32)), _pair((64, 1024), (1024, 64)), _pair((33, 301), (301, 17)),
    )),
    Op("bmm", "product", torch.bmm, ("left", "right"), (), (
        _pair((4, 16, 64), (4, 64, 32)), _pair((8, 32, 512), (8, 512, 32)), _pair((3, 7, 101), (3, 101, 13)),
    )),
    Op("conv1d", "product", F.conv1d, X, XWB, (
        _convolution((1, 8, 64), (16, 8, 3), padding=1), _convolution((2, 16, 256), (32, 16, 5), padding=2),
        _convolution((1, 7, 101), (13, 7, 4), stride=2, padding=1),
    )),
    Op("conv2d", "product", F.conv2d, X, XWB, (
        _convolution((1, 3, 16, 16), (8, 3, 3, 3), padding=1), _convolution((1, 16, 28, 28), (8, 16, 5, 5), padding=2),
        _convolution((2, 7, 15, 13), (13, 7, 3, 5), stride=2, padding=1),
    )),
    Op("conv3d", "product", F.conv3d, X, XWB, (
        _convolution((1, 3, 6, 8, 8), (4, 3, 3, 3, 3), padding=1), _convolution((1, 8, 8, 12, 12), (8, 8, 3, 3, 3), padding=1),
        _convolution((1, 5, 5, 7, 9), (7, 5, 3, 3, 3), stride=2, padding=1),
    )),
    Op("conv_transpose1d", "product", F.conv_transpose1d, X, XWB, (
        _convolution((1, 8, 32), (8, 4, 4), outputs=4, stride=2, padding=1),
        _convolution((2, 16, 64), (16, 8, 6), outputs=8, stride=2, padding=2),
        _convolution((1, 7, 33), (7, 5, 3), outputs=5, stride=1, padding=0),
    )),
    Op("conv_transpose2d", "product", F.conv_transpose2d, X, XWB, (
        _convolution((1, 8, 8, 8), (8, 4, 4, 4), outputs=4, stride=2, padding=1),
        _convolution((1, 16, 14, 14), (16, 8, 4, 4), outputs=8, stride=2, padding=1),
        _convolution((1, 7, 9, 5), (7, 5, 3, 3), outputs=5, stride=1, padding=0),
    )),
    Op("attention", "product", F.scaled_dot_product_attention, ("query", "key", "value"), (), (
        _attention((1, 2), 16, 16, 16), _attention((2, 4), 64, 64, 32), _attention((1, 3), 7, 29, 10),
    )),
)  # fmt: skip
