"""Defaults of PyTorch's ops that depend on the dtype."""

from __future__ import annotations

import torch


def rms_norm_epsilon(dtype: torch.dtype) -> float:
    """What `rms_norm` adds where eps is None: that of the dtype it computes in, which is float32 for 16 bits.

    Measured in `tests/cases/test_default_epsilon.py`; the documentation names `torch.finfo(x.dtype).eps`.
    """
    return torch.finfo(torch.float64 if dtype is torch.float64 else torch.float32).eps
