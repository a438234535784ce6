"""Tensors as text: all their bytes, row by row, deflated and in base64."""

from __future__ import annotations

import base64
import zlib

import torch

from ..cases.raw_bytes import raw_bytes


def packed(tensor: torch.Tensor) -> str:
    """The numbers of a tensor, whatever its dtype and device; "" of one without elements."""
    return base64.b64encode(zlib.compress(raw_bytes(tensor.cpu()), 9)).decode() if tensor.numel() else ""


def unpacked(text: str, dtype: str, shape: tuple[int, ...]) -> torch.Tensor:
    """The tensor whose numbers `packed` gave.

    Args:
        text: those. dtype: as PyTorch calls it ("float32"). shape: of the tensor.
    """
    kind = getattr(torch, dtype)
    if not text:
        return torch.empty(shape, dtype=kind)
    return torch.frombuffer(bytearray(zlib.decompress(base64.b64decode(text))), dtype=kind).reshape(shape)
