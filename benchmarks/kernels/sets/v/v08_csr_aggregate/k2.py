import torch


# edge list: row of every entry, then scatter
def custom_kernel(data):
    indptr, indices, weights, x, reduce = data
    rows = indptr.numel() - 1
    deg = (indptr[1:] - indptr[:-1]).long()
    src = torch.repeat_interleave(torch.arange(rows), deg)
    v = x.index_select(0, indices)
    if weights is not None:
        v = v * weights.unsqueeze(1)
    out = torch.zeros(rows, x.shape[1])
    where = src[:, None].expand_as(v)
    if reduce == "max":
        return out.scatter_reduce(0, where, v, "amax", include_self=False)
    out = out.scatter_add(0, where, v)
    return out / deg.clamp(min=1)[:, None] if reduce == "mean" else out
