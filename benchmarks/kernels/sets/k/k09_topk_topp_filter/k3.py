import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """Finds a cut-off value and how many of the tokens equal to it stay; no scatter."""

    def __init__(self, min_keep=1):
        super().__init__()
        self.min_keep = min_keep

    @torch.no_grad()
    def forward(self, logits, temperature, top_k, top_p):
        x = logits / temperature.view(-1, 1)
        V = x.shape[1]
        s = torch.sort(x, dim=1, descending=True).values
        lo = min(self.min_keep, V)
        k = torch.where(top_k > 0, top_k, torch.full_like(top_k, V)).clamp(lo, V)
        kth = s.gather(1, (k - 1)[:, None])
        live = s >= kth
        e = torch.where(live, torch.exp(s.double() - s[:, :1].double()), 0.0)
        mass = torch.cumsum(e, 1)
        before = torch.cat([torch.zeros_like(mass[:, :1]), mass[:, :-1]], 1) / mass[:, -1:]
        inside = (before < top_p.double()[:, None]) | (top_p >= 1.0)[:, None]
        n = (live & inside).sum(1).clamp(min=lo)
        cut = s.gather(1, (n - 1)[:, None])
        above = x > cut
        equal = x == cut
        room = n[:, None] - above.sum(1, keepdim=True)
        keep = above | (equal & (equal.cumsum(1) <= room))
        out = torch.where(keep, x, torch.full_like(x, float("-inf")))
        return out, torch.isfinite(out).sum(1)
