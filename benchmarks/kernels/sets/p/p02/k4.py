"""Max drawdown: gaps are filled first so that the scan itself is branch-free."""
import torch


def _fill(prices):
    a, t = prices.shape
    ok = ~torch.isnan(prices)
    pos = torch.arange(t, device=prices.device).expand(a, t)
    # carry the last quote forward; days before the first quote take the first quote
    last = torch.where(ok, pos, -1).cummax(dim=1).values
    first = torch.where(ok, pos, t).amin(dim=1, keepdim=True)
    src = torch.where(last < 0, first, last).clamp(max=t - 1)
    return prices.gather(1, src), ok.any(dim=1)


def custom_kernel(data):
    x, has = _fill(data)
    t = x.shape[1]
    pos = torch.arange(t, device=x.device)
    peak = x.cummax(dim=1).values
    ratio = x / peak
    low = ratio.amin(dim=1)
    trough = torch.where(ratio == low[:, None], pos, t).amin(dim=1)
    top = peak.gather(1, trough.clamp(max=t - 1)[:, None])
    start = torch.where(x == top, pos, t).amin(dim=1)
    return {
        "max_drawdown": 1.0 - low,                     # NaN where nothing was ever quoted
        "peak": torch.where(has, start, -1).to(torch.int32),
        "trough": torch.where(has, trough, -1).to(torch.int32),
    }
