"""Ops of PyTorch that have no kernel for float64, in terms of ops that have one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch


def grouped_product(
    first: torch.Tensor, second: torch.Tensor, offs: torch.Tensor | None = None, bias: torch.Tensor | None = None, _dtype: Any = None
) -> torch.Tensor:
    """`_grouped_mm`: products of groups of rows (or columns) with a matrix each, as mixtures of experts take them.

    Args:
        first, second: matrices, or stacks of them. offs: where each group of the one that is no stack ends.
    """
    if offs is None:
        result = first @ second
    else:
        ends = [int(end) for end in offs]
        spans = list(zip([0, *ends[:-1]], ends))
        if first.dim() == 2 and second.dim() == 3:  # groups of rows
            parts = [first[start:end] @ second[group] for group, (start, end) in enumerate(spans)]
            rest = first.shape[0] - (ends[-1] if ends else 0)
            result = torch.cat([*parts, first.new_zeros(rest, second.shape[-1])])
        elif first.dim() == 3:  # groups of columns
            result = torch.cat([first[group] @ second[:, start:end] for group, (start, end) in enumerate(spans)], -1)
        else:  # groups of what is summed over
            result = torch.stack([first[:, start:end] @ second[start:end] for start, end in spans])
    return result if bias is None else result + bias


LIFTED: dict[str, Callable[..., torch.Tensor]] = {"_grouped_mm": grouped_product}
"""By the names of ops."""
