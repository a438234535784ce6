"""Max drawdown: torch.cummax already gives us the running peak *and* where it was set."""
import torch


def custom_kernel(data):
    prices = data
    nan = torch.isnan(prices)
    x = prices.masked_fill(nan, float("-inf"))
    peak, where = torch.cummax(x, dim=1)
    ratio = torch.where(nan, torch.full_like(x, float("inf")), x / peak)
    low = ratio.min(dim=1).values
    steps = torch.arange(x.shape[1], device=x.device)
    trough = torch.where(ratio == low[:, None], steps, x.shape[1]).amin(dim=1)
    start = where.gather(1, trough[:, None].clamp(max=x.shape[1] - 1))[:, 0]
    none = nan.all(dim=1)
    return {
        "max_drawdown": torch.where(none, torch.full_like(low, float("nan")), 1.0 - low),
        "peak": torch.where(none, torch.full_like(start, -1), start).int(),
        "trough": torch.where(none, torch.full_like(trough, -1), trough).int(),
    }
