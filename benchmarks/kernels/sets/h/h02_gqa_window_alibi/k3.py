import math
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, heads, kv_heads, window):
        super().__init__()
        self.heads = heads
        self.kv_heads = kv_heads
        self.window = window
        self.register_buffer(
            "slopes", torch.tensor([2.0 ** (-8.0 * (h + 1) / heads) for h in range(heads)]))

    def forward(self, q, k, v):
        B, H, T, D = q.shape
        S = k.shape[2]
        g = self.kv_heads
        r = H // g
        qg = q.reshape(B, g, r, T, D)
        s = torch.einsum("bgrtd,bgsd->bgrts", qg, k) * (D ** -0.5)
        dist = torch.arange(S - T, S).unsqueeze(1) - torch.arange(S).unsqueeze(0)
        s = s - self.slopes.view(1, g, r, 1, 1) * dist
        ok = (dist >= 0) & (dist < self.window)
        s = torch.where(ok, s, torch.full_like(s, float("-inf")))
        m = s.amax(dim=-1, keepdim=True)
        e = torch.exp(s - m)
        o = torch.einsum("bgrts,bgsd->bgrtd", e, v) / e.sum(dim=-1, keepdim=True)
        return o.reshape(B, H, T, D)
