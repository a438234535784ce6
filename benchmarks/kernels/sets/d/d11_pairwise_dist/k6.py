from concurrent.futures import ThreadPoolExecutor

import torch

_pool = ThreadPoolExecutor(max_workers=2)


def _fill(x, y, out, lo, hi):
    for i in range(lo, hi):
        d = y - x[i]
        out[i] = (d * d).sum(dim=1).sqrt()


def custom_kernel(data):
    x, y = data
    m = x.shape[0]
    out = torch.empty(m, y.shape[0], dtype=x.dtype, device=x.device)
    half = m // 2
    jobs = [_pool.submit(_fill, x, y, out, 0, half), _pool.submit(_fill, x, y, out, half, m)]
    for j in jobs:
        j.result()
    return out
