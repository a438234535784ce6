import torch


def custom_kernel(data):
    indptr, indices, weights, x, reduce = data
    ptr = indptr.long()
    v = x[indices.long()]
    if weights is not None:
        v = v * weights[:, None]
    deg = ptr[1:] - ptr[:-1]
    if reduce == "max":
        out = torch.segment_reduce(v, "max", lengths=deg, axis=0, initial=float("-inf"))
        return torch.where(deg[:, None] > 0, out, 0.0)
    # sums of rows as differences of one running sum over all entries
    run = torch.zeros(v.shape[0] + 1, v.shape[1])
    run[1:] = v.cumsum(0)
    out = run[ptr[1:]] - run[ptr[:-1]]
    if reduce == "mean":
        out = out / deg.clamp(min=1)[:, None]
    return out
