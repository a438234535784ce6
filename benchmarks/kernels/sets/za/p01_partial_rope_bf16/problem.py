import torch
import torch.nn as nn


class Model(nn.Module):
    """
    Partial rotary position embedding (interleaved pairs, GPT-J style) on bfloat16 queries and keys.

    q: [B, T, Hq, D], k: [B, T, Hk, D], both bfloat16; Hq and Hk may differ (GQA). They may have
    any strides (slices of a packed qkv projection, a transposed [B, H, T, D] buffer, ...).
    positions: [B, T] int64, each in [0, 8192); arbitrary per token (left padding, ragged decode
    steps), not necessarily increasing and different from call to call.
    The first rotary_dim (even, <= D) features of every head are rotated, the others pass through.
    The rotation is evaluated in float32 and rounded once to bfloat16.
    Returns two new tensors (q_out, k_out); q and k are left as they were.
    """

    def __init__(self, head_dim=64, rotary_dim=32, base=10000.0):
        super().__init__()
        self.head_dim = head_dim
        self.rotary_dim = rotary_dim
        self.base = base
        inv_freq = 1.0 / (base ** (torch.arange(0, rotary_dim, 2, dtype=torch.float32) / rotary_dim))
        self.register_buffer("inv_freq", inv_freq, persistent=False)

    def rotate(self, x, cos, sin):
        rd = self.rotary_dim
        rot = x[..., :rd].float()
        a, b = rot[..., 0::2], rot[..., 1::2]
        out = torch.stack((a * cos - b * sin, a * sin + b * cos), dim=-1).flatten(-2)
        return torch.cat((out.to(x.dtype), x[..., rd:]), dim=-1)

    def forward(self, q, k, positions):
        angle = positions.float()[..., None] * self.inv_freq
        cos = angle.cos()[:, :, None, :]
        sin = angle.sin()[:, :, None, :]
        return self.rotate(q, cos, sin), self.rotate(k, cos, sin)


def get_inputs():
    B, T, Hq, Hk, D = 2, 64, 8, 2, 64
    q = torch.randn(B, T, Hq, D).to(torch.bfloat16)
    k = torch.randn(B, T, Hk, D).to(torch.bfloat16)
    positions = torch.arange(T)[None, :] + torch.tensor([[0], [37]])
    return [q, k, positions]


def get_init_inputs():
    return [64, 32, 10000.0]
