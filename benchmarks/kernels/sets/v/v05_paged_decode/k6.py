import torch


def custom_kernel(data):
    q, kc, vc, table, lens, window = data
    B, HQ, D = q.shape
    page, HK = kc.shape[1], kc.shape[2]
    rep = HQ // HK
    out = torch.zeros_like(q)
    for b in range(B):
        n = int(lens[b])
        if n == 0:
            continue
        npages = (n + page - 1) // page
        blk = table[b, :npages].long()
        k = kc[blk].reshape(npages * page, HK, D).float()
        v = vc[blk].reshape(npages * page, HK, D).float()
        t = torch.arange(npages * page)
        ok = t < n
        if window > 0:
            ok &= t >= n - window
        qg = q[b].float().view(HK, rep, D)
        s = torch.einsum("grd,tgd->grt", qg, k) * D ** -0.5
        s = s.masked_fill(~ok, float("-inf"))
        p = torch.softmax(s, -1)
        out[b] = torch.einsum("grt,tgd->grd", p, v).reshape(HQ, D).to(q.dtype)
    return out
