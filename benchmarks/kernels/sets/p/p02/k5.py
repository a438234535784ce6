"""Max drawdown: single pass over each series, compiled with numba."""
import numpy as np
import torch
from numba import njit


@njit
def _scan(p, mdd, peak, trough):
    a, t = p.shape
    for i in range(a):
        top = np.float32(0.0)
        top_day = -1
        best = np.float32(np.inf)
        bp = -1
        bt = -1
        for j in range(t):
            v = p[i, j]
            if v != v:
                continue
            if v > top:
                top = v
                top_day = j
            r = np.float32(v / top)
            if r < best:
                best = r
                bt = j
                bp = top_day
        if bt < 0:
            mdd[i] = np.nan
        else:
            mdd[i] = np.float32(1.0) - best
        peak[i] = bp
        trough[i] = bt


def custom_kernel(data):
    p = data.detach().cpu().numpy()
    a = p.shape[0]
    mdd = np.empty(a, np.float32)
    peak = np.empty(a, np.int32)
    trough = np.empty(a, np.int32)
    _scan(p, mdd, peak, trough)
    dev = data.device
    return {
        "max_drawdown": torch.from_numpy(mdd).to(dev),
        "peak": torch.from_numpy(peak).to(dev),
        "trough": torch.from_numpy(trough).to(dev),
    }
