import torch


def custom_kernel(data):
    indptr, indices, weights, x, reduce = data
    rows = indptr.numel() - 1
    deg = indptr.diff().long()
    src = torch.repeat_interleave(torch.arange(rows), deg)[:, None].expand(-1, x.shape[1])
    v = x[indices.long()]
    if weights is not None:
        v = v * weights[:, None]
    out = torch.zeros(rows, x.shape[1])
    if reduce == "max":
        out.scatter_reduce_(0, src, v, reduce="amax")
    else:
        out.scatter_add_(0, src, v)
        if reduce == "mean":
            out /= deg.clamp(min=1)[:, None]
    return out
