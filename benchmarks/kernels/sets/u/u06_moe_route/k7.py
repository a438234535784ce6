import math
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """Rank by counting; slots by a running count inside blocks of 64 tokens."""

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
        for t0 in range(0, T, 64):
            blk = idx[t0:t0 + 64].reshape(-1)
            one = torch.nn.functional.one_hot(blk, E)
            slot[t0:t0 + 64] = (one.cumsum(0) - 1).gather(1, blk[:, None]).view(-1, self.top_k)
        cap = math.ceil(T * self.top_k * self.capacity_factor / E)
        drop = slot >= cap
        return idx, w.masked_fill(drop, 0.0), slot.masked_fill(drop, -1)
