import torch


def custom_kernel(data):
    q, kc, vc, table, lens, window = data
    B, HQ, D = q.shape
    page, HK = kc.shape[1], kc.shape[2]
    T = int(lens.max())
    t = torch.arange(T)
    ok = t[None] < lens[:, None]
    if window > 0:
        ok &= t[None] >= (lens - window)[:, None]
    slot = table[:, t // page].long() * page + t % page
    slot = torch.where(ok, slot, 0)
    k = kc.reshape(-1, HK, D)[slot].double()
    v = vc.reshape(-1, HK, D)[slot].double()
    k = torch.where(ok[:, :, None, None], k, 0.0)
    v = torch.where(ok[:, :, None, None], v, 0.0)
    s = torch.einsum("bgrd,btgd->bgrt", q.double().view(B, HK, HQ // HK, D), k) * D ** -0.5
    s = s.masked_fill(~ok[:, None, None], float("-inf"))
    p = torch.softmax(s, -1)
    return torch.einsum("bgrt,btgd->bgrd", p, v).reshape(B, HQ, D).to(q.dtype)
