import numba
import numpy as np
import torch

M = 0xFFFFFFFF


@numba.njit
def _drop(x, r, out, mask, key, offset, thr, scale):
    for i in range(x.size):
        c = np.uint64(offset) + np.uint64(i)
        hi = c >> np.uint64(32)
        lo = c & np.uint64(M)
        h = np.uint64(key) ^ ((hi * np.uint64(0x9E3779B9)) & np.uint64(M))
        h = (lo * np.uint64(0x85EBCA6B) + h) & np.uint64(M)
        h ^= h >> np.uint64(16)
        h = (h * np.uint64(0x85EBCA6B)) & np.uint64(M)
        h ^= h >> np.uint64(13)
        h = (h * np.uint64(0xC2B2AE35)) & np.uint64(M)
        h ^= h >> np.uint64(16)
        if h >= np.uint64(thr):
            out[i] = x[i] / scale + r[i]
            mask[i >> 5] |= np.uint32(1) << np.uint32(i & 31)
        else:
            out[i] = r[i]


def custom_kernel(data):
    x, residual, p, key, offset = data
    n = x.numel()
    out = np.empty(n, np.float64)
    mask = np.zeros((n + 31) // 32, np.uint32)
    _drop(x.double().view(-1).numpy(), residual.double().view(-1).numpy(), out, mask,
          np.uint64(key), np.uint64(offset), np.uint64(int(p * 2 ** 32)), 1.0 - p)
    return torch.from_numpy(out).view(x.shape).to(x.dtype), torch.from_numpy(mask.view(np.int32))
