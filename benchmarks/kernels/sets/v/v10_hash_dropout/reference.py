import numpy as np
import torch


def generate_input(rows: int, cols: int, p: float, key: int, offset: int, dtype: str, seed: int):
    gen = torch.Generator().manual_seed(seed)
    dt = getattr(torch, dtype)
    x = torch.randn(rows, cols, generator=gen).to(dt)
    residual = torch.randn(rows, cols, generator=gen).to(dt)
    return x, residual, p, key, offset


def ref_kernel(data):
    x, residual, p, key, offset = data
    n = x.numel()
    with np.errstate(over="ignore"):
        c = np.uint64(offset) + np.arange(n, dtype=np.uint64)
        lo = (c & np.uint64(0xFFFFFFFF)).astype(np.uint32)
        hi = (c >> np.uint64(32)).astype(np.uint32)
        h = np.uint32(key) ^ (hi * np.uint32(0x9E3779B9))
        h = lo * np.uint32(0x85EBCA6B) + h
        h ^= h >> np.uint32(16)
        h *= np.uint32(0x85EBCA6B)
        h ^= h >> np.uint32(13)
        h *= np.uint32(0xC2B2AE35)
        h ^= h >> np.uint32(16)
    keep = h >= np.uint32(int(p * 2 ** 32))
    kt = torch.from_numpy(keep).view(x.shape)
    out = torch.where(kt, x.double() / (1 - p), 0.0) + residual.double()
    bits = np.packbits(np.pad(keep, (0, -n % 32)), bitorder="little").view("<i4")
    return out.to(x.dtype), torch.from_numpy(bits.copy())
