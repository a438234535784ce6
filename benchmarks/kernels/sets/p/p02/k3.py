"""Max drawdown as a chunked scan over time: carries (peak, peak day, best ratio, trough, its peak)."""
import torch

CHUNK = 64


def custom_kernel(data):
    prices = data
    a, t = prices.shape
    dev = prices.device
    inf = float("inf")
    peak = torch.full((a,), -inf, device=dev)
    peak_day = torch.full((a,), -1, dtype=torch.long, device=dev)
    best = torch.full((a,), inf, device=dev)
    b_peak = peak_day.clone()
    b_trough = peak_day.clone()
    for s in range(0, t, CHUNK):
        c = prices[:, s:s + CHUNK]
        w = c.shape[1]
        ok = c == c
        x = torch.where(ok, c, torch.full_like(c, -inf))
        run = torch.maximum(torch.cummax(x, 1).values, peak[:, None])
        r = torch.where(ok, x / run, torch.full_like(x, inf))
        lo = r.amin(1)
        pos = torch.arange(w, device=dev).expand(a, w)
        tr = torch.where(r == lo[:, None], pos, w).amin(1).clamp(max=w - 1)
        top = run.gather(1, tr[:, None])
        inside = torch.where(x == top, pos, w).amin(1)          # w when the peak lies before the chunk
        pk = torch.where(top[:, 0] == peak, peak_day, inside + s)
        better = lo < best
        best = torch.where(better, lo, best)
        b_trough = torch.where(better, tr + s, b_trough)
        b_peak = torch.where(better, pk, b_peak)
        # advance the carried peak; only a strictly larger quote moves its day
        cm = x.amax(1)
        up = cm > peak
        day = torch.where(x == cm[:, None], pos, w).amin(1) + s
        peak_day = torch.where(up, day, peak_day)
        peak = torch.where(up, cm, peak)
    mdd = torch.where(torch.isinf(best), torch.full_like(best, float("nan")), 1.0 - best)
    return {"max_drawdown": mdd, "peak": b_peak.int(), "trough": b_trough.int()}
