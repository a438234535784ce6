import math
import torch
import torch.nn as nn
import torch.nn.functional as F

def _pow2(n):
    return [2.0 ** (-8.0 * (i + 1) / n) for i in range(n)]


def _slopes(n):
    p = 1 << (n.bit_length() - 1)
    return _pow2(p) + _pow2(2 * p)[0::2][:n - p]


class ModelNew(nn.Module):
    def __init__(self, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.register_buffer("slopes", torch.tensor(_slopes(num_heads)), persistent=False)

    def forward(self, q, k, v, lengths):
        B, H, T, D = q.shape
        S = k.shape[2]
        rows = []
        qp = torch.arange(S - T, S, device=q.device, dtype=torch.float64)
        for b in range(B):
            n = int(lengths[b])
            heads = []
            for h in range(H):
                if n == 0:
                    heads.append(torch.zeros_like(q[b, h]))
                    continue
                kb, vb = k[b, h, :n].double(), v[b, h, :n].double()
                kp = torch.arange(n, device=q.device, dtype=torch.float64)
                d = qp[:, None] - kp[None, :]
                z = q[b, h].double() @ kb.t() / math.sqrt(D) - float(self.slopes[h]) * d
                z = z.masked_fill(d < 0, -1e300)
                lse = torch.logsumexp(z, dim=1, keepdim=True)
                heads.append((torch.exp(z - lse) @ vb).to(q.dtype))
            rows.append(torch.stack(heads))
        return torch.stack(rows)
