import torch


def custom_kernel(data):
    """Integer arithmetic: every probability is a count out of 4096."""
    draft, pd, pt, ua, us = data
    B, K = draft.shape
    S = 4096
    qd = torch.round(pd.double() * S).long()
    qt = torch.round(pt.double() * S).long()
    a = torch.round(ua.double() * S).long()
    u = torch.round(us.double() * S).long()
    i = draft.unsqueeze(-1)
    rej = a * qd.gather(-1, i)[..., 0] >= qt[:, :K].gather(-1, i)[..., 0] * S
    rej = torch.cat([rej, torch.ones(B, 1, dtype=torch.bool)], 1)
    n = rej.long().argmax(1)
    out = torch.full((B, K + 1), -1, dtype=torch.int64)
    for b in range(B):
        k = int(n[b])
        out[b, :k] = draft[b, :k]
        r = qt[b, k]
        if k < K:
            d = (r - qd[b, k]).clamp_min(0)
            r = d if int(d.sum()) else r
        c = r.cumsum(0)
        # smallest v with c[v] * S > u * c[-1]
        out[b, k] = int(torch.searchsorted(c * S, (u[b] * c[-1]).reshape(1), right=True))
    return out
