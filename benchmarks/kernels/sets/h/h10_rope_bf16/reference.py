import torch


def generate_input(batch: int, tokens: int, heads: int, dim: int, rot: int, base: float, seed: int):
    gen = torch.Generator()
    gen.manual_seed(seed)
    x = torch.randn(batch, tokens, heads, dim, generator=gen).to(torch.bfloat16)
    start = torch.randint(0, 100, (batch, 1), generator=gen)
    positions = start + torch.arange(tokens).unsqueeze(0)
    return x, positions, rot, base


def ref_kernel(data):
    """Rotary embedding (half-split pairs) on the first rot of dim channels, bfloat16.

    x: (B, T, H, dim) bfloat16; positions: (B, T) int64, non-negative, any order.
    Pair (i, i + rot/2) turns by positions * base ** (-2 i / rot); computed in float32,
    rounded once to bfloat16. The other channels are copied. x is left as it was.
    """
    x, positions, rot, base = data
    half = rot // 2
    inv = base ** (-torch.arange(half).double() * 2.0 / rot)
    angle = positions.double().unsqueeze(-1) * inv
    cos = torch.cos(angle).float().unsqueeze(2)
    sin = torch.sin(angle).float().unsqueeze(2)
    a = x[..., :half].float()
    b = x[..., half:rot].float()
    out = torch.cat([a * cos - b * sin, b * cos + a * sin, x[..., rot:].float()], dim=-1)
    return out.to(torch.bfloat16)
