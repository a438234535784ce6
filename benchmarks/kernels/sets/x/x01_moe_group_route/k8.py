import torch


def custom_kernel(data):
    # gather the kept groups first, then sort only those candidates
    scores, bias, n_group, topk_group, topk, scale = data
    T, E = scores.shape
    per = E // n_group
    key = (scores + bias).view(T, n_group, per)
    srt = key.sort(dim=-1).values
    gs = srt[..., -1] + srt[..., -2]
    order = torch.argsort(gs, dim=-1, descending=True, stable=True)[:, :topk_group]
    order = order.sort(dim=-1).values               # back to ascending group number
    cand = key.gather(1, order.unsqueeze(-1).expand(T, topk_group, per)).reshape(T, -1)
    eid = (order.unsqueeze(-1) * per + torch.arange(per)).reshape(T, -1)
    pos = torch.argsort(cand, dim=-1, descending=True, stable=True)[:, :topk]
    idx = eid.gather(1, pos)
    w = scores.gather(1, idx).double()
    w = w / (w.sum(-1, keepdim=True) + 1e-20) * scale
    return idx.to(torch.int32), w.to(torch.float32)
