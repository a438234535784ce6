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
        vis = (kp <= qp)[None] & (kp[None] < lengths.view(B, 1, 1))
        some = vis.any(-1, keepdim=True)                      # (B, T, 1)
        bias = self.slopes.view(1, H, 1, 1) * (kp - qp).to(q.dtype)
        bias = bias.masked_fill(~(vis | ~some).unsqueeze(1), float("-inf"))
        out = F.scaled_dot_product_attention(q, k, v, attn_mask=bias)
        return torch.where(some.unsqueeze(1), out, out.new_zeros(()))
