"""Max drawdown: two-level scan. Time is cut into blocks of 128, block maxima are scanned, then each
block is rescanned with its incoming peak."""
import torch
import torch.nn.functional as F

BLOCK = 128


def custom_kernel(data):
    prices = data
    a, t = prices.shape
    if t % BLOCK:
        prices = F.pad(prices, (0, BLOCK - t % BLOCK), value=float("nan"))
    n = prices.shape[1]
    nb = n // BLOCK
    blk = torch.as_strided(prices, (a, nb, BLOCK), (n, BLOCK, 1))   # free reshape, no copy
    nan = torch.isnan(blk)
    x = blk.masked_fill(nan, float("-inf"))
    tops = x.amax(dim=2)
    carry = torch.cummax(tops, dim=1).values
    carry = torch.cat([torch.full_like(carry[:, :1], float("-inf")), carry[:, :-1]], dim=1)
    run = torch.maximum(torch.cummax(x, dim=2).values, carry[:, :, None])
    ratio = (x / run).masked_fill(nan, float("inf")).reshape(a, n)
    x = x.reshape(a, n)
    low = ratio.amin(dim=1)
    pos = torch.arange(n, device=x.device)
    trough = torch.where(ratio == low[:, None], pos, n).amin(dim=1)
    top = run.reshape(a, n).gather(1, trough[:, None])
    peak = torch.where(x == top, pos, n).amin(dim=1)
    has = ~nan.reshape(a, n).all(dim=1)
    return {
        "max_drawdown": torch.where(has, 1.0 - low, torch.full_like(low, float("nan"))),
        "peak": torch.where(has, peak, -1).to(torch.int32),
        "trough": torch.where(has, trough, -1).to(torch.int32),
    }
