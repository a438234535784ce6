import torch

_TABLES = {}


def _tables(bias, n_group):
    # per-layer constants, set up once
    key = (bias.numel(), n_group)
    if key not in _TABLES:
        E = bias.numel()
        group_of = torch.arange(E) // (E // n_group)
        _TABLES[key] = (bias.clone().unsqueeze(0), group_of)
    return _TABLES[key]


def custom_kernel(data):
    scores, bias, n_group, topk_group, topk, scale = data
    b, group_of = _tables(bias, n_group)
    T, E = scores.shape
    key = scores + b
    top2 = key.view(T, n_group, -1).topk(2, dim=-1).values
    gs = top2[..., 0] + top2[..., 1]
    g = torch.sort(gs, dim=-1, descending=True, stable=True).indices[:, :topk_group]
    keep = torch.zeros(T, n_group, dtype=torch.bool).scatter_(1, g, True)[:, group_of]
    idx = torch.sort(key.masked_fill(~keep, float("-inf")), dim=-1, descending=True, stable=True).indices[:, :topk]
    w = scores.gather(1, idx)
    return idx.to(torch.int32), scale * w / (w.sum(-1, keepdim=True) + 1e-20)
