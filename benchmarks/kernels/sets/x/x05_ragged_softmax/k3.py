import torch

_last = {}


def _segment_ids(offsets, n):
    # reuse the row ids only if the offsets are really the same ones (content is compared)
    hit = _last.get(n)
    if hit is not None and torch.equal(hit[0], offsets):
        return hit[1]
    ids = torch.repeat_interleave(torch.arange(offsets.numel() - 1), offsets[1:] - offsets[:-1])
    _last[n] = (offsets.clone(), ids)
    return ids


def custom_kernel(data):
    values, offsets, scale = data
    ids = _segment_ids(offsets, values.numel())
    S = offsets.numel() - 1
    x = values.double() * scale
    mx = torch.full((S,), float("-inf"), dtype=torch.float64)
    mx.scatter_reduce_(0, ids, x, reduce="amax")
    mx = torch.where(torch.isinf(mx), torch.zeros_like(mx), mx)
    e = torch.exp(x - mx[ids])
    den = torch.zeros(S, dtype=torch.float64).index_add_(0, ids, e)
    den = torch.where(den == 0, torch.ones_like(den), den)
    return (e / den[ids]).float()
