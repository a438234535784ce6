"""raw_bytes(): the bytes of a tensor's numbers, in order."""

from __future__ import annotations

import torch


def raw_bytes(tensor: torch.Tensor) -> memoryview:
    """The bytes of a tensor on the CPU, in the order of its indices: its own memory where that is contiguous, else a copy."""
    plain = tensor.detach().resolve_conj().resolve_neg().contiguous()
    row = plain.as_strided((plain.numel(),), (1,))  # PyTorch calls one number contiguous whatever its stride, and refuses to view it then
    return row.view(torch.uint8).numpy().data
