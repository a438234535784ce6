import torch


def custom_kernel(data):
    """Standard DeepSeek style router."""
    scores, bias, n_group, topk_group, topk, scale = data
    T, E = scores.shape
    s = scores + bias.unsqueeze(0)
    group_scores = s.view(T, n_group, -1).topk(2, dim=-1)[0].sum(dim=-1)
    group_idx = torch.sort(group_scores, dim=-1, descending=True, stable=True)[1][:, :topk_group]
    group_mask = torch.zeros_like(group_scores).scatter_(1, group_idx, 1)
    score_mask = group_mask.unsqueeze(-1).expand(T, n_group, E // n_group).reshape(T, -1)
    tmp = s.masked_fill(~score_mask.bool(), 0.0)
    idx = torch.sort(tmp, dim=-1, descending=True, stable=True)[1][:, :topk]
    w = scores.gather(1, idx)
    w = w / (w.sum(dim=-1, keepdim=True) + 1e-20) * scale
    return idx.to(torch.int32), w
