"""Does a side write in place onto memory that overlaps itself? The result then depends on the order in which elements are visited."""

from __future__ import annotations

import math
from typing import Any

import torch

from ...cases import Case, observed
from ...ops import called
from ...process.dispatch import DispatchMode
from .evidence import Evidence
from .finding import Finding

F = Finding
COUNTED_ELEMENTS = 1 << 22
"""Up to this size the places in memory are counted one by one; beyond, only strides that prove overlap are reported."""


def overlaps_itself(tensor: torch.Tensor) -> bool:
    """Whether two elements of a strided tensor lie in the same place."""
    if tensor.layout != torch.strided:
        return False
    axes = sorted((stride, size) for size, stride in zip(tensor.shape, tensor.stride()) if size > 1)
    reach = 0
    for stride, size in axes:
        if stride <= reach:
            break
        reach += stride * (size - 1)
    else:
        return False
    if any(stride == 0 for stride, _ in axes):
        return True
    if math.prod(size for _, size in axes) > COUNTED_ELEMENTS:
        return False
    places = torch.zeros(1, dtype=torch.int64)
    for stride, size in axes:
        places = (places[:, None] + stride * torch.arange(size)[None, :]).reshape(-1)
    return int(places.unique().numel()) < places.numel()


class WriteAudit(DispatchMode):
    """Notes ops that write in place to a tensor that overlaps itself."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        for place, argument in enumerate(func._schema.arguments):
            if argument.alias_info is None or not argument.alias_info.is_write:
                continue
            value = args[place] if place < len(args) else kwargs.get(argument.name)
            if isinstance(value, torch.Tensor) and overlaps_itself(value):
                self.found.append(f"{called(func)[0]} on shape {tuple(value.shape)} with strides {tuple(value.stride())}")
        return func(*args, **kwargs)


def overlap(case: Case) -> Evidence | None:
    """The in-place writes of `actual` and `expected` onto overlapping memory; None when there are none."""
    measured: dict[str, list[str]] = {}
    for name in ("actual", "expected"):
        audit = WriteAudit()
        if observed(case, name, audit) and audit.found:
            measured[name] = list(dict.fromkeys(audit.found))
    if not measured:
        return None
    return Evidence("overlap", F.OVERLAPPING_WRITES, measured=measured)
