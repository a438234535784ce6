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
        scale = 1.0 / math.sqrt(D)
        BQ, BK = 16, 32
        slopes = self.slopes.view(1, g, r, 1, 1)
        qg = q.reshape(B, g, r, T, D)
        rows = []
        for i0 in range(0, T, BQ):
            i1 = min(T, i0 + BQ)
            qi = qg[:, :, :, i0:i1]
            pos = torch.arange(S - T + i0, S - T + i1).unsqueeze(1)
            m = torch.full((B, g, r, i1 - i0, 1), float("-inf"), dtype=q.dtype)
            l = torch.zeros_like(m)
            acc = torch.zeros(B, g, r, i1 - i0, D, dtype=q.dtype)
            lo = max(0, S - T + i0 - self.window + 1)
            hi = S - T + i1
            for j0 in range(lo, hi, BK):
                j1 = min(hi, j0 + BK)
                dist = pos - torch.arange(j0, j1).unsqueeze(0)
                s = qi @ k[:, :, None, j0:j1].transpose(-1, -2) * scale - slopes * dist
                s = s.masked_fill((dist < 0) | (dist >= self.window), float("-inf"))
                new = torch.maximum(m, s.amax(dim=-1, keepdim=True))
                safe = torch.where(torch.isinf(new), torch.zeros_like(new), new)
                c = torch.exp(m - safe)
                p = torch.exp(s - safe)
                l = l * c + p.sum(dim=-1, keepdim=True)
                acc = acc * c + p @ v[:, :, None, j0:j1]
                m = new
            rows.append(acc / l)
        return torch.cat(rows, dim=3).reshape(B, H, T, D)
