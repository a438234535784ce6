import numpy as np
import torch


def custom_kernel(data):
    values, ids, segments = data
    i = ids.numpy()
    keep = np.flatnonzero(i >= 0)
    keep = keep[np.argsort(i[keep], kind="stable")]
    i = i[keep]
    v = values.numpy()[keep]
    D = v.shape[1]
    s = np.zeros((segments, D), np.float64)
    a = np.zeros((segments, D), np.float64)
    m = np.full((segments, D), -np.inf, np.float32)
    if len(i):
        start = np.flatnonzero(np.r_[True, i[1:] != i[:-1]])
        who = i[start]
        s[who] = np.add.reduceat(v.astype(np.float64), start, axis=0)
        a[who] = s[who] / np.diff(np.r_[start, len(i)])[:, None]
        m[who] = np.maximum.reduceat(v, start, axis=0)
    return torch.from_numpy(s.astype(np.float32)), torch.from_numpy(a.astype(np.float32)), torch.from_numpy(m)
