import torch


def custom_kernel(data):
    indptr, indices, weights, x, reduce = data
    rows, cols = indptr.numel() - 1, x.shape[0]
    deg = (indptr[1:] - indptr[:-1]).long()
    row = torch.repeat_interleave(torch.arange(rows), deg)
    adj = torch.zeros(rows, cols, dtype=torch.float64)
    adj[row, indices.long()] = 1.0 if weights is None else weights.double()
    if reduce == "max":
        big = torch.where((adj > 0)[:, :, None], adj[:, :, None] * x.double()[None], float("-inf")).amax(1)
        return torch.where(deg[:, None] > 0, big, 0.0).float()
    out = adj @ x.double()
    if reduce == "mean":
        out = out / deg.clamp(min=1)[:, None]
    return out.float()
