"""Max drawdown by a binary tree reduction.

Summary of a stretch of days: (largest quote, smallest quote and its first day, best ratio and its
first day). Two neighbours combine with one extra candidate, smallest(right) / largest(left).
"""
import torch
import torch.nn.functional as F


def custom_kernel(data):
    prices = data
    a, t = prices.shape
    inf = float("inf")
    ok = ~torch.isnan(prices)
    n = 1 << max(t - 1, 0).bit_length()
    pad = (0, n - t)
    hi = F.pad(torch.where(ok, prices, torch.full_like(prices, -inf)), pad, value=-inf)
    lo = F.pad(torch.where(ok, prices, torch.full_like(prices, inf)), pad, value=inf)
    r = F.pad(torch.where(ok, torch.ones_like(prices), torch.full_like(prices, inf)), pad, value=inf)
    day = torch.arange(n, device=prices.device).expand(a, n)
    lo_day, r_day = day, day
    leaf = hi
    while hi.shape[1] > 1:
        hl, hr = hi[:, 0::2], hi[:, 1::2]
        ll, lr = lo[:, 0::2], lo[:, 1::2]
        dl, dr = lo_day[:, 0::2], lo_day[:, 1::2]
        rl, rr = r[:, 0::2], r[:, 1::2]
        tl, tr = r_day[:, 0::2], r_day[:, 1::2]
        cross = torch.where(torch.isinf(hl) | torch.isinf(lr), torch.full_like(lr, inf), lr / hl)
        # right half: internal best against the cross candidate, ties to the earlier day
        use = (cross < rr) | ((cross == rr) & (dr < tr))
        rr2 = torch.where(use, cross, rr)
        tr2 = torch.where(use, dr, tr)
        left = rl <= rr2
        r = torch.where(left, rl, rr2)
        r_day = torch.where(left, tl, tr2)
        low_left = ll <= lr
        lo = torch.where(low_left, ll, lr)
        lo_day = torch.where(low_left, dl, dr)
        hi = torch.maximum(hl, hr)
    best, trough = r[:, 0], r_day[:, 0]
    upto = leaf.masked_fill(day > trough[:, None], -inf)
    top = upto.amax(1, keepdim=True)
    peak = (upto == top).to(torch.int8).argmax(1)
    has = ok.any(1)
    return {
        "max_drawdown": torch.where(has, 1.0 - best, torch.full_like(best, float("nan"))),
        "peak": torch.where(has, peak, torch.full_like(peak, -1)).int(),
        "trough": torch.where(has, trough, torch.full_like(trough, -1)).int(),
    }
