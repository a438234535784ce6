import numpy as np
import torch


def custom_kernel(data):
    scores, offsets = data
    x = scores.detach().cpu().numpy()
    off = offsets.cpu().numpy()
    n = x.shape[0]
    lens = np.diff(off)
    # reduceat does not accept a start equal to n (empty rows at the end)
    starts = np.minimum(off[:-1], n - 1)
    mx = np.maximum.reduceat(x, starts, axis=0)
    mx = np.where(np.isneginf(mx), np.float32(0), mx)
    e = np.exp(x - np.repeat(mx, lens, axis=0))
    den = np.add.reduceat(e, starts, axis=0)
    den = np.repeat(den, lens, axis=0)
    out = np.divide(e, den, out=np.zeros_like(e), where=den > 0)
    return torch.from_numpy(out)
