import numpy as np
import torch


def custom_kernel(data):
    """Pointer jumping: right end of every run by doubling, then compaction."""
    x = data.numpy()
    n = x.size
    values = np.zeros(n, np.int64)
    counts = np.zeros(n, np.int64)
    if n == 0:
        return torch.from_numpy(values), torch.from_numpy(counts), torch.tensor(0)
    same = np.zeros(n, bool)
    same[:-1] = x[:-1] == x[1:]
    nxt = np.arange(n) + same                      # one step to the right inside the run
    for _ in range(max(1, int(n).bit_length())):
        nxt = nxt[nxt]
    head = np.ones(n, bool)
    head[1:] = ~same[:-1]
    s = np.flatnonzero(head)
    r = s.size
    values[:r] = x[s]
    counts[:r] = nxt[s] - s + 1
    return torch.from_numpy(values), torch.from_numpy(counts), torch.tensor(r)
