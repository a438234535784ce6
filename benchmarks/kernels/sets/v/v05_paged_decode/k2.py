import torch


# all sequences at once, padded to the longest; unused slots are replaced before any arithmetic
def custom_kernel(data):
    q, kc, vc, table, lens, window = data
    B, HQ, D = q.shape
    page, HK = kc.shape[1], kc.shape[2]
    T = table.shape[1] * page
    t = torch.arange(T)
    ok = t[None] < lens[:, None]
    if window > 0:
        ok &= t[None] >= (lens - window)[:, None]
    blk = table.clamp(min=0).long()
    k = kc[blk].reshape(B, T, HK, D).float().masked_fill(~ok[:, :, None, None], 0)
    v = vc[blk].reshape(B, T, HK, D).float().masked_fill(~ok[:, :, None, None], 0)
    qg = q.float().view(B, HK, HQ // HK, D) * D ** -0.5
    s = torch.einsum("bgrd,btgd->bgrt", qg, k)
    s = s.masked_fill(~ok[:, None, None, :], float("-inf"))
    m = s.amax(-1, keepdim=True).clamp(min=-1e30)
    e = torch.exp(s - m)
    o = torch.einsum("bgrt,btgd->bgrd", e, v) / e.sum(-1, keepdim=True).clamp(min=1e-30)
    return o.reshape(B, HQ, D).to(q.dtype)
