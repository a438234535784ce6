"""Rotary position embedding, half-split (NeoX) layout, base 10000.

data: (x, positions); x bfloat16 (batch, seq, heads, dim), dim even, contiguous, finite;
positions int64 (seq,), any values 0..8191 in any order.
Result: new bfloat16 tensor of x's shape; with angle = position * 10000 ** (-2 i / dim):
  out[..., i]          = x[..., i] * cos - x[..., i + dim/2] * sin
  out[..., i + dim/2]  = x[..., i + dim/2] * cos + x[..., i] * sin
computed in float32 and rounded once. The result shares no memory with x.
"""
import torch


def generate_input(batch, seq, heads, dim, seed, offset=0):
    gen = torch.Generator()
    gen.manual_seed(seed)
    x = torch.randn(batch, seq, heads, dim, generator=gen).to(torch.bfloat16)
    positions = torch.arange(seq) + offset
    return x, positions


def ref_kernel(data):
    x, positions = data
    dim = x.shape[-1]
    half = dim // 2
    inv = 10000.0 ** (-2.0 * torch.arange(half, dtype=torch.float64) / dim)
    ang = positions.double()[:, None] * inv
    cos = ang.cos().float()[None, :, None, :]
    sin = ang.sin().float()[None, :, None, :]
    x1, x2 = x[..., :half].float(), x[..., half:].float()
    return torch.cat([x1 * cos - x2 * sin, x2 * cos + x1 * sin], dim=-1).to(torch.bfloat16)
