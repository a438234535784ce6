import numba
import numpy as np
import torch


@numba.njit
def _segments(v, o, mean, high):
    D = v.shape[1]
    for s in range(o.shape[0] - 1):
        n = o[s + 1] - o[s]
        for d in range(D):
            acc = 0.0
            comp = 0.0
            top = -np.inf
            for r in range(o[s], o[s + 1]):
                x = np.float64(v[r, d])
                acc += x
                if x > top or np.isnan(x):
                    top = x
                elif np.isnan(top):
                    top = np.nan
            mean[s, d] = acc / n if n > 0 else 0.0
            high[s, d] = top


def custom_kernel(data):
    values, offsets = data
    n, D = offsets.numel() - 1, values.shape[1]
    mean = np.zeros((n, D), np.float32)
    high = np.zeros((n, D), np.float32)
    _segments(values.detach().cpu().contiguous().numpy(), offsets.cpu().contiguous().numpy(), mean, high)
    return torch.from_numpy(mean).to(values.device), torch.from_numpy(high).to(values.device)
