import torch

_BINS = {}


def custom_kernel(data):
    n = data.numel()
    if n not in _BINS:
        _BINS[n] = torch.zeros(256, dtype=torch.int64)
    bins = _BINS[n]
    for lo in range(0, n, 4096):
        x = data[lo:lo + 4096].long()
        bins.index_add_(0, x, torch.ones_like(x))
    return bins.clone()
