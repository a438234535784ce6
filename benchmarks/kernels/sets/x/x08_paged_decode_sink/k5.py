import torch

SPLITS = 4


def custom_kernel(data):
    """Split-KV (flash decoding): partial results with their own max, combined at the end; sink joins the combine."""
    q, kc, vc, table, lens, sinks = data
    B, H, D = q.shape
    S, HK = kc.shape[1], kc.shape[2]
    R = H // HK
    ninf = float("-inf")
    pm = torch.full((SPLITS, B, H), ninf)
    pl = torch.zeros(SPLITS, B, H)
    po = torch.zeros(SPLITS, B, H, D)
    for b in range(B):
        n = int(lens[b])
        step = -(-n // SPLITS)
        for i in range(SPLITS):
            lo, hi = i * step, min((i + 1) * step, n)
            if lo >= hi:
                continue
            pos = torch.arange(lo, hi)
            pg = table[b, (pos // S)].long()
            k = kc[pg, pos % S]
            v = vc[pg, pos % S]
            s = torch.einsum("grd,ngd->grn", q[b].view(HK, R, D), k).reshape(H, -1) * (1.0 / D ** 0.5)
            m = s.amax(-1)
            e = torch.exp(s - m[:, None])
            pm[i, b], pl[i, b] = m, e.sum(-1)
            po[i, b] = torch.einsum("grn,ngd->grd", e.view(HK, R, -1), v).reshape(H, D)
    top = torch.maximum(pm.amax(0), sinks[None])
    f = torch.exp(pm - top)
    den = (f * pl).sum(0) + torch.exp(sinks[None] - top)
    return (f[..., None] * po).sum(0) / den[..., None]
