"""Defaults of PyTorch's ops that depend on the dtype."""

from __future__ import annotations

import functools
import math

import torch
import torch.nn.functional as F


@functools.cache
def rms_norm_epsilon(dtype: torch.dtype) -> float:
    """What `rms_norm` adds where eps is None: measured here, because it is not that of the documentation for 16 bits.

    The documentation names `torch.finfo(x.dtype).eps`. Since it computes 16 bits in float32 it adds float32's; PyTorch 2.4 adds that of
    the dtype.
    """
    own = torch.finfo(dtype).eps
    size = 2.0 ** (math.frexp(own)[1] // 2)  # its square is about as large as the epsilon
    with torch._C.DisableTorchFunction(), torch._C._DisableTorchDispatch():  # pyright: ignore[reportPrivateUsage]
        found = F.rms_norm(torch.full((1, 8), size, dtype=dtype), (8,))[0, 0].item()
    return min((own, torch.finfo(torch.float32).eps), key=lambda epsilon: abs(found - size / math.sqrt(size**2 + epsilon)))
