"""Max drawdown: one cummax, then two masked arg-reductions."""
import torch


def custom_kernel(data):
    x = data
    miss = torch.isnan(x)
    filled = x.masked_fill(miss, 0.0)              # quotes are positive, 0 never becomes a peak
    run = filled.cummax(dim=1)[0]
    ratio = (filled / run).masked_fill(miss, 2.0)  # 2 > any ratio
    low = ratio.amin(dim=1)
    trough = (ratio == low[:, None]).to(torch.int8).argmax(dim=1)
    top = run.gather(1, trough[:, None])
    peak = (filled == top).to(torch.int8).argmax(dim=1)
    empty = miss.all(dim=1)
    mdd = (1.0 - low).masked_fill(empty, float("nan"))
    return {
        "max_drawdown": mdd,
        "peak": peak.masked_fill(empty, -1).to(torch.int32),
        "trough": trough.masked_fill(empty, -1).to(torch.int32),
    }
