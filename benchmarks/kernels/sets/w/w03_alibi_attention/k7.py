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
        qp = torch.arange(S - T, S, device=q.device).view(T, 1)
        kp = torch.arange(S, device=q.device).view(1, S)
        hidden = ((kp > qp)[None] | (kp[None] >= lengths.view(B, 1, 1))).unsqueeze(1)
        s = torch.matmul(q, k.transpose(-2, -1)) * D ** -0.5
        s = s + self.slopes.view(1, H, 1, 1) * (kp - qp).to(q.dtype)
        s = s.masked_fill(hidden, torch.finfo(q.dtype).min)
        s = s - s.amax(-1, keepdim=True)
        e = s.exp()
        return (e / e.sum(-1, keepdim=True)) @ v
