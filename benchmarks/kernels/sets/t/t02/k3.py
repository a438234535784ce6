"""Segmented scan with a compiled sequential loop (numba)."""
import numba
import numpy as np
import torch


@numba.njit
def _run(x, f, exclusive, reverse, out):
    R, N = x.shape
    for r in range(R):
        acc = np.int64(0)
        if reverse:
            for i in range(N - 1, -1, -1):
                if exclusive:
                    out[r, i] = acc
                acc += np.int64(x[r, i])
                if not exclusive:
                    out[r, i] = acc
                if f[r, i]:
                    acc = np.int64(0)
        else:
            for i in range(N):
                if f[r, i]:
                    acc = np.int64(0)
                if exclusive:
                    out[r, i] = acc
                acc += np.int64(x[r, i])
                if not exclusive:
                    out[r, i] = acc


def custom_kernel(data):
    x, flags, exclusive, reverse = data
    xa = np.ascontiguousarray(x.numpy())
    fa = np.ascontiguousarray(flags.numpy())
    out = np.zeros(x.shape, np.int64)
    _run(xa, fa, bool(exclusive), bool(reverse), out)
    return torch.from_numpy(out)
