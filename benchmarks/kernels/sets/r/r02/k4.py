import torch

_WORKSPACE = {}


def _buffer(n, c, like):
    """Output workspace is allocated once per shape to keep the allocator off the hot path."""
    key = (n, c, like.dtype, like.device)
    if key not in _WORKSPACE:
        _WORKSPACE[key] = torch.empty(n, 3, c, dtype=like.dtype, device=like.device)
    return _WORKSPACE[key]


def custom_kernel(data):
    values, indptr = data
    n, C = indptr.numel() - 1, values.shape[1]
    out = _buffer(n, C, values)
    out.zero_()
    for i, (lo, hi) in enumerate(zip(indptr[:-1].tolist(), indptr[1:].tolist())):
        if hi > lo:
            x = values[lo:hi].double()
            var, mean = torch.var_mean(x, dim=0, correction=0)
            out[i, 0] = mean
            out[i, 1] = var
            out[i, 2] = values[lo:hi].amax(0)
    return out
