import numpy as np
import torch


def custom_kernel(data):
    x = data.numpy()
    n = x.shape[0]
    values = np.zeros(n, np.int64)
    counts = np.zeros(n, np.int64)
    if n == 0:
        return torch.from_numpy(values), torch.from_numpy(counts), torch.tensor(0)
    # branch free change detection: difference to the left neighbour, in floating point
    d = np.diff(x.astype(np.float64))
    head = np.concatenate(([0], np.flatnonzero(d) + 1))
    r = head.size
    values[:r] = x[head]
    counts[:r] = np.diff(np.append(head, n))
    return torch.from_numpy(values), torch.from_numpy(counts), torch.tensor(r)
