import torch


def custom_kernel(data):
    scores, bias, n_group, topk_group, topk, scale = data
    T, E = scores.shape
    per = E // n_group
    key = scores + bias
    gv = key.view(T, n_group, per)
    gscore = gv.topk(2, dim=-1).values.sum(-1)
    gidx = gscore.topk(topk_group, dim=-1).indices
    keep = torch.zeros(T, n_group, dtype=torch.bool)
    keep.scatter_(1, gidx, True)
    masked = torch.where(keep.unsqueeze(-1), gv, torch.full_like(gv, float("-inf"))).view(T, E)
    _, idx = masked.topk(topk, dim=-1, sorted=True)
    w = scores.gather(1, idx)
    w = w * (scale / (w.sum(-1, keepdim=True) + 1e-20))
    return idx.int(), w
