import math
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """Rounds of first-maximum selection, the chosen score cleared."""

    def __init__(self, num_experts, top_k, capacity_factor, route_scale):
        super().__init__()
        self.top_k = top_k
        self.capacity_factor = capacity_factor
        self.route_scale = route_scale
        self.bias = nn.Parameter(torch.zeros(num_experts), requires_grad=False)

    def _slots(self, idx, E):
        flat = idx.reshape(-1)
        order = torch.argsort(flat, stable=True)
        start = torch.bincount(flat, minlength=E).cumsum(0) - torch.bincount(flat, minlength=E)
        slot = torch.empty_like(flat)
        slot[order] = torch.arange(flat.numel()) - start[flat[order]]
        return slot.view_as(idx)

    def forward(self, logits):
        T, E = logits.shape
        s = logits.sigmoid()
        b = s + self.bias
        work = b.clone()
        num = torch.arange(E)
        picks = []
        for _ in range(self.top_k):
            hit = work == work.amax(1, keepdim=True)
            p = torch.where(hit, num, E).amin(1)
            picks.append(p)
            work.scatter_(1, p[:, None], 0.0)
        idx = torch.stack(picks, 1)
        w = s.gather(1, idx)
        w = w * (self.route_scale / w.sum(1, keepdim=True))
        slot = self._slots(idx, E)
        cap = math.ceil(T * self.top_k * self.capacity_factor / E)
        drop = slot >= cap
        return idx, w.masked_fill(drop, 0.0), slot.masked_fill(drop, -1)
