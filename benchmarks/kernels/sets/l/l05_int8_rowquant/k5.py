import numba
import numpy as np
import torch


@numba.njit
def _quant(x, q, s):
    M, N = x.shape
    for i in range(M):
        a = np.float32(0.0)
        for j in range(N):
            v = abs(x[i, j])
            if v > a:
                a = v
        sc = np.float32(1.0) if a == 0 else np.float32(a / np.float32(127.0))
        s[i] = sc
        for j in range(N):
            r = np.rint(np.float32(x[i, j] / sc))
            if r > 127:
                r = np.float32(127)
            if r < -127:
                r = np.float32(-127)
            q[i, j] = np.int8(r)


def custom_kernel(data):
    x = data.detach().cpu().contiguous().numpy()
    q = np.empty(x.shape, np.int8)
    s = np.empty(x.shape[0], np.float32)
    _quant(x, q, s)
    return torch.from_numpy(q).to(data.device), torch.from_numpy(s).to(data.device)
