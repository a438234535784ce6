import torch

LANE = 16


def custom_kernel(data):
    """Sixteen bytes per load, one histogram column per lane."""
    n = data.numel()
    rows = n // LANE
    packed = data[:rows * LANE].view(rows, LANE).long()
    cols = torch.zeros(LANE, 256, dtype=torch.int64)
    for r in range(0, rows, 1024):
        t = packed[r:r + 1024].t()
        cols.scatter_add_(1, t, torch.ones_like(t))
    return cols.sum(0)
