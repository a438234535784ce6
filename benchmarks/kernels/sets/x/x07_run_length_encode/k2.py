import torch


def custom_kernel(data):
    """head flags -> prefix sum gives the run number -> scatter."""
    x = data
    n = x.numel()
    values = torch.zeros(n, dtype=torch.int64)
    counts = torch.zeros(n, dtype=torch.int64)
    prev = torch.empty_like(x)
    if n:
        prev[0] = -1
    prev[1:] = x[:-1]
    head = x != prev
    run = torch.cumsum(head, 0) - 1
    counts.index_add_(0, run, torch.ones(n, dtype=torch.int64))
    values[run[head]] = x[head]
    return values, counts, head.sum()
