import torch


def _draw(r, u, width=16):
    """Two-level inverse CDF: pick the bucket by its total, then scan the bucket."""
    V = r.numel()
    nb = -(-V // width)
    pad = torch.zeros(nb * width, dtype=torch.float64)
    pad[:V] = r
    blk = pad.view(nb, width)
    ends = blk.sum(1).cumsum(0)
    thr = float(u) * float(ends[-1])
    j = int((ends <= thr).sum())
    base = float(ends[j - 1]) if j else 0.0
    c = blk[j].cumsum(0) + base
    return j * width + int((c <= thr).sum())


def custom_kernel(data):
    draft, pd, pt, ua, us = data
    B, K = draft.shape
    rows = []
    for b in range(B):
        row, n = [], 0
        for t in draft[b].tolist():
            if float(pt[b, n, t]) <= float(ua[b, n]) * float(pd[b, n, t]):
                break
            row.append(t)
            n += 1
        r = pt[b, n].double()
        if n < K:
            d = torch.where(r > pd[b, n], r - pd[b, n], torch.zeros_like(r))
            if d.any():
                r = d
        row.append(_draw(r, us[b]))
        rows.append(row + [-1] * (K - n))
    return torch.tensor(rows, dtype=torch.int64)
