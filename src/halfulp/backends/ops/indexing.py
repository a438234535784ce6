"""Reading and adding by index."""

from __future__ import annotations

import torch
import torch.nn.functional as F

from .op import Op, Size, below

Tensor = torch.Tensor


def _embedding(indices: Tensor, weight: Tensor) -> Tensor:
    return F.embedding(indices, weight)


def _gather(x: Tensor, indices: Tensor) -> Tensor:
    return torch.gather(x, -1, indices)


def _scatter_add(x: Tensor, indices: Tensor, source: Tensor) -> Tensor:
    return torch.scatter_add(x, -1, indices, source)


INDEXING = (
    Op("embedding", "indexing", _embedding, ("indices",), ("weight",), tuple(
        Size({"indices": indices, "weight": weight}, draws={"indices": below(weight[0])})
        for indices, weight in (((4, 8), (32, 16)), ((8, 64), (1000, 64)), ((3, 5), (77, 33)))
    )),
    Op("gather", "indexing", _gather, ("x", "indices"), (), tuple(
        Size({"x": x, "indices": indices}, draws={"indices": below(x[-1])})
        for x, indices in (((4, 16), (4, 8)), ((32, 512), (32, 64)), ((3, 33), (3, 50)))
    )),
    Op("scatter_add", "indexing", _scatter_add, ("x", "indices", "source"), (), tuple(
        Size({"x": x, "indices": source, "source": source}, draws={"indices": below(x[-1])})
        for x, source in (((4, 8), (4, 32)), ((8, 16), (8, 2048)), ((3, 7), (3, 101)))
    )),
)  # fmt: skip
