import math
import numba
import numpy as np
import torch


@numba.njit
def _quant(x, group, bits, packed, scales):
    rows, cols = x.shape
    qmax = (1 << (bits - 1)) - 1
    per = 32 // bits
    mask = np.int64((1 << bits) - 1)
    for r in range(rows):
        for w in range(packed.shape[1]):
            packed[r, w] = 0
        for g in range(scales.shape[1]):
            lo, hi = g * group, min((g + 1) * group, cols)
            amax = 0.0
            for j in range(lo, hi):
                amax = max(amax, abs(float(x[r, j])))
            s = 1.0
            if amax > 0:
                while amax > qmax * s:
                    s *= 2.0
                while amax <= qmax * (s * 0.5):
                    s *= 0.5
            scales[r, g] = s
            for j in range(lo, hi):
                q = np.int64(np.rint(x[r, j] / s))
                packed[r, j // per] |= np.uint32((q & mask) << ((j % per) * bits))


def custom_kernel(data):
    x, group, bits = data
    rows, cols = x.shape
    per = 32 // bits
    packed = np.empty((rows, -(-cols // per)), dtype=np.uint32)
    scales = np.empty((rows, -(-cols // group)), dtype=np.float32)
    _quant(x.numpy(), group, bits, packed, scales)
    return torch.from_numpy(packed.view(np.int32)), torch.from_numpy(scales)
