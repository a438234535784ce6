import numpy as np
import torch


def custom_kernel(data):
    dy, x, weight, eps = data
    X = x.numpy()
    DY = dy.numpy()
    w = weight.numpy().astype(np.float64)
    M, N = X.shape
    dx = np.empty((M, N), np.float16)
    dw = np.zeros(N)
    db = np.zeros(N)
    for i in range(M):
        r = X[i].astype(np.float64)
        d = DY[i].astype(np.float64)
        # sums of float16 numbers are exact enough in float64 for the one-pass form around the first entry
        s = r - r[0]
        mu = s.sum() / N
        var = max((s @ s) / N - mu * mu, 0.0)
        rs = 1.0 / np.sqrt(var + eps)
        xh = (s - mu) * rs
        g = d * w
        dx[i] = (rs * (g - xh * ((g @ xh) / N) - g.sum() / N)).astype(np.float16)
        dw += d * xh
        db += d
    return torch.from_numpy(dx), torch.from_numpy(dw.astype(np.float32)), torch.from_numpy(db.astype(np.float32))
