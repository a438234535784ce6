import numpy as np
import torch


def custom_kernel(data):
    logits, target, ignore_index, smoothing = data
    x = logits.numpy()
    t = target.numpy()
    N, V = x.shape
    grad = np.zeros((N, V), dtype=np.float32)
    live = [i for i in range(N) if int(t[i]) != ignore_index]
    total = 0.0
    for i in live:
        row = x[i].astype(np.float64)
        row = row - row.max()
        e = np.exp(row)
        z = e.sum()
        logz = np.log(z)
        total += (1 - smoothing) * (logz - row[t[i]]) + smoothing * (logz - row.mean())
        g = e / z - smoothing / V
        g[t[i]] -= 1 - smoothing
        grad[i] = g / len(live)
    loss = total / len(live) if live else 0.0
    return torch.tensor(loss, dtype=torch.float32), torch.from_numpy(grad)
