import math

import torch
import torch.nn as nn

BQ, BK = 32, 32


class ModelNew(nn.Module):
    def __init__(self, n_heads, n_kv, head_dim, window):
        super().__init__()
        self.n_heads, self.n_kv, self.head_dim, self.window = n_heads, n_kv, head_dim, window
        i = torch.arange(1, n_heads + 1, dtype=torch.float32)
        self.register_buffer("slopes", torch.pow(2.0, -8.0 * i / n_heads))

    def forward(self, q, k, v):
        b, h, t, d = q.shape
        rep = self.n_heads // self.n_kv
        qg = q.reshape(b, self.n_kv, rep, t, d) * (self.head_dim ** -0.5)
        sl = self.slopes.view(1, self.n_kv, rep, 1, 1)
        back = (self.window // BK) * BK
        rows = []
        for q0 in range(0, t, BQ):
            q1 = min(t, q0 + BQ)
            qi = qg[..., q0:q1, :]
            m = qi.new_full(qi.shape[:-1] + (1,), -1e30)
            l = torch.zeros_like(m)
            acc = torch.zeros_like(qi)
            iq = torch.arange(q0, q1)[:, None]
            for k0 in range(max(0, q0 - back), q1, BK):
                dist = iq - torch.arange(k0, min(t, k0 + BK))[None, :]
                ok = (dist >= 0) & (dist < self.window)
                s = qi @ k[:, :, None, k0:k0 + BK].transpose(-1, -2) - sl * dist
                s = s.masked_fill(~ok, float("-inf"))
                mn = torch.maximum(m, s.amax(-1, keepdim=True))
                p = torch.exp(s - mn)
                al = torch.exp(m - mn)
                l = l * al + p.sum(-1, keepdim=True)
                acc = acc * al + p @ v[:, :, None, k0:k0 + BK]
                m = mn
            rows.append(acc / l)
        return torch.cat(rows, dim=-2).reshape(b, h, t, d)
