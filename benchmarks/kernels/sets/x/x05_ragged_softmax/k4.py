import torch


def custom_kernel(data):
    values, offsets, scale = data
    S = offsets.numel() - 1
    ids = torch.bucketize(torch.arange(values.numel()), offsets[1:], right=True)
    x = values
    mx = x.max()                       # soft max is shift invariant, one global shift will do
    if mx == float("-inf"):
        return torch.zeros_like(x)
    e = torch.exp((x - mx) * scale)
    den = torch.zeros(S).index_add_(0, ids, e)
    return e / den[ids].clamp_min(1e-38)
