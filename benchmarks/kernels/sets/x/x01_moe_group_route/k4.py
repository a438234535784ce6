import torch


def _ordered(f):
    # monotone map float32 -> int64 in [0, 2^32)
    i = (f + 0.0).view(torch.int32).to(torch.int64) & 0xFFFFFFFF
    return torch.where(i >= 0x80000000, 0xFFFFFFFF - i, i + 0x80000000)


def custom_kernel(data):
    scores, bias, n_group, topk_group, topk, scale = data
    T, E = scores.shape
    per = E // n_group
    key = (scores + bias).contiguous()
    k3 = key.view(T, n_group, per)
    # two largest by hand
    m1, a1 = k3.max(dim=-1, keepdim=True)
    rest = k3.scatter(-1, a1, float("-inf"))
    gs = (m1.squeeze(-1) + rest.amax(dim=-1)).contiguous()
    # equal keys broken by complement of index in the low bits, so every packed key is unique
    gp = (_ordered(gs) << 16) | (0xFFFF - torch.arange(n_group))
    sel_g = gp.topk(topk_group, dim=-1).values
    thr = sel_g[:, -1:]
    keep = (gp >= thr).repeat_interleave(per, dim=1)
    kp = (_ordered(key) << 16) | (0xFFFF - torch.arange(E))
    kp = torch.where(keep, kp, torch.full_like(kp, -1))
    top = kp.topk(topk, dim=-1, sorted=True).values
    idx = 0xFFFF - (top & 0xFFFF)
    w = torch.gather(scores, 1, idx)
    den = w.sum(dim=-1, keepdim=True) + 1e-20
    return idx.to(torch.int32), (w / den) * scale
