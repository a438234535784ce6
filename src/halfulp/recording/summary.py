"""Hash, statistics and stored elements of a tensor, computed where the tensor lies; each byte is read a few times and little is copied."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from ..traces.hashes import CHUNK, weights
from ..traces.samples import sampled_places

_MASK = (1 << 64) - 1
_BITS = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}


def dtype_name(tensor: torch.Tensor) -> str:
    """The dtype without the framework's name: "float32"."""
    return str(tensor.dtype).removeprefix("torch.")


@functools.lru_cache(maxsize=8)
def _weights(device: torch.device) -> torch.Tensor:
    return torch.from_numpy(weights()).to(device)


def hash_of(tensor: torch.Tensor) -> str:
    """The hash of `traces.hashes`, computed on the tensor's device.

    Args:
        tensor: contiguous.
    """
    flat = tensor.reshape(-1)
    if flat.stride() != (1,):  # PyTorch calls one number contiguous whatever lies beside it
        flat = flat.clone(memory_format=torch.contiguous_format).as_strided(flat.shape, (1,))
    if flat.is_complex():
        flat = torch.view_as_real(flat).reshape(-1)
    size = flat.element_size()
    words = flat.view(torch.int32 if size >= 4 else torch.int16 if size == 2 else torch.int8)
    table = _weights(flat.device)
    total, count = 0, words.numel()
    for number, start in enumerate(range(0, count, CHUNK)):
        part = words[start : min(count, start + CHUNK)].to(torch.int64)
        # The dot product of integers exists on processors only; it saves a pass.
        weighted = torch.dot(part, table[: part.numel()]) if part.device.type == "cpu" else (part * table[: part.numel()]).sum()
        total += (2 * number + 1) * int(weighted)
    return f"{total & _MASK:016x}"


def statistics_of(tensor: torch.Tensor) -> dict[str, float]:
    """Smallest, largest, mean and root mean square of the finite elements, and how many are NaN or infinite.

    Means are computed in float32 (float64 for float64): good to six digits, and on the tensor's device.
    """
    if not tensor.numel():
        return {}
    if not tensor.is_floating_point():
        if tensor.is_complex():
            tensor = torch.view_as_real(tensor)
        elif tensor.dtype == torch.bool:
            return {"mean": float(tensor.count_nonzero()) / tensor.numel()}
        elif tensor.dtype in (torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64):
            low, high = torch.aminmax(tensor)
            return {"min": float(low), "max": float(high)}
        else:
            return {}
    work = tensor if tensor.dtype in (torch.float32, torch.float64) else tensor.to(torch.float32)
    total, norm = float(work.sum()), float(torch.linalg.vector_norm(work))
    if math.isfinite(norm) and math.isfinite(total):
        low, high = torch.aminmax(work)
        count = work.numel()
        return {"min": float(low), "max": float(high), "mean": total / count, "rms": norm / math.sqrt(count)}
    return _statistics_with_specials(work.to(torch.float64))


def _statistics_with_specials(work: torch.Tensor) -> dict[str, float]:
    nan = int(torch.isnan(work).sum())
    infinite = int(torch.isinf(work).sum())
    found: dict[str, float] = {"nan": nan, "inf": infinite} if nan or infinite else {}
    finite = work[torch.isfinite(work)]
    if finite.numel():
        low, high = torch.aminmax(finite)
        rms = float(torch.linalg.vector_norm(finite)) / math.sqrt(finite.numel())
        found |= {"min": float(low), "max": float(high), "mean": float(finite.mean()), "rms": rms}
    return found


def elements_of(tensor: torch.Tensor, count: int) -> tuple[npt.NDArray[Any], int]:
    """The bits of `count` elements (all of them, or those at `sampled_places`) on the host, and how many they are.

    Args:
        tensor: contiguous.
    """
    flat = tensor.reshape(-1)
    if flat.is_complex():
        bits = flat.to("cpu").numpy()
        places = sampled_places(bits.size, min(count, bits.size))
        return (bits if places.size == bits.size else bits[places]), int(places.size)
    bits = flat.view(_BITS[flat.element_size()])
    if count < flat.numel():
        places = torch.from_numpy(np.asarray(sampled_places(flat.numel(), count))).to(flat.device)
        bits = bits[places]
    return bits.to("cpu").numpy(), bits.numel()
