import torch
import torch.nn as nn

BLOCK = 512


class ModelNew(nn.Module):
    """Streams blocks of rows, keeping a running maximum and a rescaled sum per segment."""

    def __init__(self, num_segments):
        super().__init__()
        self.num_segments = num_segments

    def forward(self, values, index):
        E, H = values.shape
        S = self.num_segments
        ninf = float("-inf")
        run_max = values.new_full((S, H), ninf)
        run_sum = values.new_zeros(S, H)
        for lo in range(0, E, BLOCK):
            v = values[lo:lo + BLOCK]
            i = index[lo:lo + BLOCK, None].expand_as(v)
            new_max = run_max.scatter_reduce(0, i, v.detach(), reduce="amax", include_self=True)
            base = new_max.masked_fill(new_max == ninf, 0.0)
            run_sum = run_sum * torch.exp(run_max - base)
            run_sum = run_sum.scatter_add(0, i, torch.exp(v - base.gather(0, i)))
            run_max = new_max
        base = run_max.masked_fill(run_max == ninf, 0.0)
        lse = torch.log(run_sum) + base
        out = []
        for lo in range(0, E, BLOCK):
            v = values[lo:lo + BLOCK]
            i = index[lo:lo + BLOCK]
            d = run_sum[i]
            out.append(torch.exp(v - base[i]) / d.masked_fill(d == 0, 1.0))
        return torch.cat(out, dim=0) if out else values.clone(), lse
