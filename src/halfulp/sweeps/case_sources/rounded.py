"""in_float64(): a function of PyTorch evaluated in float64, with results in the formats that it has without that."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch

from ...cases.trees import tensors_of, tree_map

_WIDER = {torch.complex64: torch.complex128, torch.complex32: torch.complex128}


def natural_formats(function: Callable[..., Any], inputs: Sequence[Any], keywords: Mapping[str, Any]) -> list[torch.dtype]:
    """The dtypes of the tensors that a function returns, in order; it is run on copies. Empty where it fails."""

    def copied(value: Any) -> Any:
        return value.clone() if isinstance(value, torch.Tensor) and value.layout == torch.strided else value

    try:
        return [tensor.dtype for tensor in tensors_of(function(*tree_map(copied, tuple(inputs)), **tree_map(copied, dict(keywords))))]
    except Exception:  # whoever runs it is told
        return []


def in_float64(function: Callable[..., Any], dtype: torch.dtype, formats: Sequence[torch.dtype]) -> Callable[..., Any]:
    """The function with its arguments in float64 and its results rounded once.

    Args:
        function: of tensors and anything else. dtype: the format of its real inputs; as an argument it becomes float64 too.
        formats: of the tensors that it returns; those beyond the list stay as they are.
    """

    def widened(value: Any) -> Any:
        if isinstance(value, torch.Tensor):
            return value.double() if value.is_floating_point() else value.to(_WIDER.get(value.dtype, value.dtype))
        return torch.float64 if value is dtype else value

    def evaluated(*arguments: Any, **keywords: Any) -> Any:
        left = iter(formats)

        def rounded(value: Any) -> Any:
            natural = next(left, None) if isinstance(value, torch.Tensor) else None
            return value if natural is None or value.dtype == natural else value.to(natural)

        return tree_map(rounded, function(*tree_map(widened, arguments), **tree_map(widened, keywords)))

    return evaluated
