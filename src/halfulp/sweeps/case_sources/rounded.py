"""in_float64(): a function of PyTorch evaluated in float64, with results in the formats that it has without that."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from ...cases.trees import tree_map

_WIDER = {torch.complex64: torch.complex128, torch.complex32: torch.complex128}


def in_float64(function: Callable[..., Any], dtype: torch.dtype) -> Callable[..., Any]:
    """The function with its arguments in float64 and its results rounded once.

    Args:
        function: of tensors and anything else. dtype: the format of its real inputs; float64 and complex128 results are rounded to it.
    """
    complex_dtype = torch.complex64 if dtype.itemsize >= 4 else torch.complex32
    narrower = {torch.float64: dtype, torch.complex128: complex_dtype} if dtype != torch.float64 else {}

    def widened(value: Any) -> Any:
        if not isinstance(value, torch.Tensor):
            return value
        return value.double() if value.is_floating_point() else value.to(_WIDER.get(value.dtype, value.dtype))

    def rounded(value: Any) -> Any:
        return value.to(narrower[value.dtype]) if isinstance(value, torch.Tensor) and value.dtype in narrower else value

    def evaluated(*arguments: Any, **keywords: Any) -> Any:
        wide = {name: tree_map(widened, value) for name, value in keywords.items()}
        wide = {name: torch.float64 if value is dtype else value for name, value in wide.items()}
        return tree_map(rounded, function(*tree_map(widened, arguments), **wide))

    return evaluated
