import torch


def custom_kernel(data):
    x, weights, edges = data
    K = edges.numel() - 1
    lo, hi = edges[0], edges[-1]
    ok = (x >= lo) & (x <= hi)
    xi = x[ok].double()
    b = ((xi - lo.double()) * (K / (hi.double() - lo.double()))).floor().long().clamp(0, K - 1)
    # settle the rounding at the borders of the estimate
    b = torch.where(xi < edges[b].double(), b - 1, b).clamp(min=0)
    b = torch.where((xi >= edges[b + 1].double()) & (b < K - 1), b + 1, b)
    return torch.zeros(K, dtype=torch.int64).scatter_add_(0, b, weights[ok])
