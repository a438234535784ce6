import torch
import torch.nn as nn

BT = 12


class ModelNew(nn.Module):
    """Time is walked in blocks of 12 with a running sum and a running maximum."""

    def __init__(self, dim, out_dim):
        super().__init__()
        self.proj = nn.Linear(2 * dim, out_dim)

    def forward(self, x, lengths):
        B, T, D = x.shape
        total = x.new_zeros(B, D)
        best = x.new_full((B, D), float('-inf'))
        for s in range(0, T, BT):
            e = min(s + BT, T)
            live = (torch.arange(s, e) < lengths[:, None]).unsqueeze(-1)
            blk = x[:, s:e]
            total = total + blk.masked_fill(~live, 0.0).sum(1)
            with torch.no_grad():
                best = torch.maximum(best, blk.masked_fill(~live, float('-inf')).amax(1))
        peak = x.new_zeros(B, D)
        hits = x.new_zeros(B, D)
        for s in range(0, T, BT):
            e = min(s + BT, T)
            live = (torch.arange(s, e) < lengths[:, None]).unsqueeze(-1)
            eq = live & (x.detach()[:, s:e] == best.unsqueeze(1))
            hits = hits + eq.sum(1)
            peak = peak + torch.where(eq, x[:, s:e], x.new_zeros(())).sum(1)
        peak = peak / hits.clamp(min=1)
        mean = total / lengths.clamp(min=1).unsqueeze(1)
        return self.proj(torch.cat((mean, peak), dim=1))
