import math
import torch
import torch.nn as nn


def alibi_slopes(n):
    p = 1
    while 2 * p <= n:
        p *= 2
    s = [2.0 ** (-8.0 * (i + 1) / p) for i in range(p)]
    s += [2.0 ** (-4.0 * (2 * i + 1) / p) for i in range(n - p)]
    return s


class ModelNew(nn.Module):
    """Blocks of queries and keys with the online softmax in float64."""

    def __init__(self, num_heads, num_kv_heads, window):
        super().__init__()
        self.groups = num_heads // num_kv_heads
        self.window = window
        self.register_buffer("slopes", torch.tensor(alibi_slopes(num_heads)), persistent=False)

    def forward(self, q, k, v, lengths):
        B, H, T, D = q.shape
        Hk = k.shape[1]
        qd = q.double().reshape(B, Hk, self.groups, T, D) / math.sqrt(D)
        kd, vd = k.double().unsqueeze(2), v.double().unsqueeze(2)
        sl = self.slopes.double().view(1, Hk, self.groups, 1, 1)
        out = torch.zeros(B, Hk, self.groups, T, D, dtype=torch.float64)
        for i0 in range(0, T, 32):
            qi = qd[..., i0:i0 + 32, :]
            i = torch.arange(i0, min(i0 + 32, T))
            m = torch.full(qi.shape[:-1], -1e300, dtype=torch.float64)
            l = torch.zeros_like(m)
            acc = torch.zeros_like(qi)
            for j0 in range(max(0, i0 - self.window + 1), min(i0 + 32, T), 24):
                j = torch.arange(j0, min(j0 + 24, T))
                dist = i[:, None] - j
                s = qi @ kd[..., j, :].transpose(-1, -2) - sl * dist
                see = ((dist >= 0) & (dist < self.window)) & (j < lengths.view(B, 1, 1, 1, 1))
                mn = torch.maximum(m, s.masked_fill(~see, -1e300).amax(-1))
                p = torch.exp((s - mn[..., None]).masked_fill(~see, float("-inf")))
                c = torch.exp(m - mn)
                l = l * c + p.sum(-1)
                acc = acc * c[..., None] + p @ vd[..., j, :]
                m = mn
            out[..., i0:i0 + 32, :] = torch.where(l[..., None] > 0, acc / l[..., None], 0.0)
        return out.view(B, H, T, D).float().half()
