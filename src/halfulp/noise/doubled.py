"""Products in doubled precision: a reference for functions that are declared float64 themselves."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import torch

from ..floats import doubled_matmul
from ..ops import Kind, record_of

DOUBLED_PRODUCTS = 1 << 25
"""The most scalar products that are formed in doubled precision for one op, about a second of work; beyond, the op's own result
has to do."""


def doubled_product(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> torch.Tensor | None:
    """The result of a real float64 matrix product as if computed with 106 bits; None where that is not offered.

    Covers mm, bmm, mv, dot, addmm, baddbmm and addmv (an addend is added after rounding the product); convolutions and products
    beyond `DOUBLED_PRODUCTS` are not.
    """
    operands = [argument for argument in args if isinstance(argument, torch.Tensor)]
    if any(operand.dtype != torch.float64 for operand in operands):
        return None
    record = record_of(name)
    is_plain = record.kind is Kind.PRODUCT and record.direct and not record.convolution and name != "linear"
    if not is_plain or kwargs.get("alpha", 1) != 1 or kwargs.get("beta", 1) != 1:
        return None
    added = operands[0] if record.addend == 0 else None
    left, right = (operand.detach().cpu().numpy() for operand in operands[-2:])
    if name == "dot":
        left = left[None, :]
    is_vector = right.ndim == 1
    right = right[:, None] if is_vector else right
    if math.prod(left.shape) * right.shape[-1] > DOUBLED_PRODUCTS:
        return None
    product = doubled_matmul(left, right)
    product = product[..., 0] if is_vector else product
    product = product[0] if name == "dot" else product
    if added is not None:
        product = product + added.detach().cpu().numpy()
    return torch.from_numpy(np.ascontiguousarray(product)).to(operands[-1].device)
