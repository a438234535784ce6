import math
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """Rank of an expert = number of experts ahead of it; counters per expert run over blocks of tokens."""

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
        num = torch.arange(E)
        ahead = (b[:, None, :] > b[:, :, None]) | ((b[:, None, :] == b[:, :, None]) & (num < num[:, None]))
        rank = ahead.sum(-1)
        inv = torch.empty_like(rank).scatter_(1, rank, num.expand(T, E))
        idx = inv[:, :self.top_k].contiguous()
        w = s.gather(1, idx)
        w = w * (self.route_scale / w.sum(1, keepdim=True))
        slot = torch.empty_like(idx)
        used = torch.zeros(E, dtype=torch.long)
        for t0 in range(0, T, 64):
            blk = idx[t0:t0 + 64].reshape(-1)
            one = torch.nn.functional.one_hot(blk, E)
            pos = one.cumsum(0) - one + used
            slot[t0:t0 + 64] = pos.gather(1, blk[:, None]).view(-1, self.top_k)
            used = used + one.sum(0)
        cap = math.ceil(T * self.top_k * self.capacity_factor / E)
        drop = slot >= cap
        return idx, w.masked_fill(drop, 0.0), slot.masked_fill(drop, -1)
