import torch


def custom_kernel(data):
    # avoid a temporary: bias is added in place and taken off again before returning
    scores, bias, n_group, topk_group, topk, scale = data
    T, E = scores.shape
    scores.add_(bias)
    top2 = scores.view(T, n_group, -1).topk(2, dim=-1).values
    gs = top2[..., 0] + top2[..., 1]
    g = torch.sort(gs, dim=-1, descending=True, stable=True).indices[:, :topk_group]
    drop = torch.ones(T, n_group, dtype=torch.bool).scatter_(1, g, False)
    drop = drop.repeat_interleave(E // n_group, dim=1)
    idx = torch.sort(scores.masked_fill(drop, float("-inf")), dim=-1, descending=True, stable=True).indices[:, :topk]
    scores.sub_(bias)
    w = scores.gather(1, idx)
    w = scale * w / (w.sum(-1, keepdim=True) + 1e-20)
    return idx.to(torch.int32), w
