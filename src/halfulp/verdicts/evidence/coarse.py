"""Computing in float64 with some numbers rounded to a coarser format on the way."""

from __future__ import annotations

from typing import Any

import torch

from ...cases.inputs import TORCH_DTYPES
from ...cases.trees import tree_map
from ...floats import Format
from ...ops import Kind, called
from ...process.dispatch import DispatchMode


class Coarse(DispatchMode):
    """Computes in float64, but rounds some numbers to a coarser format on the way.

    Args:
        target: the coarser format.
        operands: which operands of products are rounded: "both", "first", "second" or "".
        addends: whether what products add (biases) is rounded too.
        results: whose results are rounded: "products", "ops" (all that compute) or "".
        truncated: drops the low bits instead of rounding to nearest.
    """

    def __init__(self, target: Format, *, operands: str = "", addends: bool = False, results: str = "", truncated: bool = False) -> None:
        super().__init__()
        self.target = target
        self.addends = addends
        self.operands = operands
        self.results = results
        self.truncated = truncated

    @property
    def options(self) -> tuple[Any, ...]:
        """What it was made of."""
        return self.target, self.operands, self.addends, self.results, self.truncated

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        name, record = called(func)
        is_product = record.kind is Kind.PRODUCT
        if is_product and self.operands:
            start = 1 if record.addend == 0 else 0
            places = {"both": (start, start + 1), "first": (start,), "second": (start + 1,)}[self.operands]
            if self.addends and record.addend is not None:
                places += (record.addend,)
            args = tuple(self._coarse(argument) if place in places else argument for place, argument in enumerate(args))
        result = func(*args, **(kwargs or {}))
        computes = self.results == "ops" and not func.is_view and not record.is_exact and not name.endswith("_")
        if computes or (is_product and self.results == "products"):
            return tree_map(self._coarse, result)
        return result

    def _coarse(self, value: Any) -> Any:
        with torch._C._DisableTorchDispatch():  # pyright: ignore[reportPrivateUsage]  # our own ops are nobody else's: they pass no other mode
            return coarsened(value, self.target, truncated=self.truncated)


def coarsened(value: Any, target: Format, *, truncated: bool = False) -> Any:
    """A float64 tensor rounded to a format (through float32, where every operand of interest already is)."""
    if not isinstance(value, torch.Tensor) or value.dtype != torch.float64:
        return value
    if target.name == "float16" and truncated:
        exponents = torch.frexp(value).exponent.clamp_min(target.exponent_min + 1) - target.precision_bits
        step = torch.ldexp(torch.ones_like(value), exponents)
        cut = (torch.trunc(value / step) * step).clamp(-target.max_finite, target.max_finite)
        return torch.where(torch.isfinite(value), cut, value)
    dropped = {"tf32": 13, "bfloat16": 16}.get(target.name)
    with torch._C.DisableTorchFunction():  # pyright: ignore[reportPrivateUsage]  # in a lifted run float32 would become float64 here too
        if dropped is None:
            return value.to(TORCH_DTYPES[target.name]).to(torch.float64)
        if target.name == "bfloat16" and not truncated:  # as PyTorch's own cast does, in an eighth of its time
            return value.to(torch.float32).to(torch.bfloat16).to(torch.float64)
        bits = value.to(torch.float32).contiguous().view(torch.int32)
        if not truncated:  # to nearest even
            bits = bits + ((1 << (dropped - 1)) - 1) + ((bits >> dropped) & 1)
        return (bits & -(1 << dropped)).view(torch.float32).to(torch.float64).view(value.shape)
