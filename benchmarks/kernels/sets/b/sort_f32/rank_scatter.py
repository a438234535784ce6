import torch

BLOCK = 256


def custom_kernel(data):
    """Rank of each element by counting, then one scatter."""
    n = data.numel()
    out = torch.zeros_like(data)
    nan = torch.isnan(data)
    finite = data[~nan]
    m = finite.numel()
    for lo in range(0, m, BLOCK):
        x = finite[lo:lo + BLOCK]
        rank = torch.zeros(x.numel(), dtype=torch.int64)
        for s in range(0, m, 1024):
            rank += (finite[s:s + 1024].unsqueeze(0) < x.unsqueeze(1)).sum(1)
        out[rank] = x
    if m < n:
        out[m:] = float("nan")
    return out
