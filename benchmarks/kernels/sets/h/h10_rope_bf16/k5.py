import torch


def custom_kernel(data):
    x, positions, rot, base = data
    inv = 1.0 / base ** (torch.arange(0, rot, 2, dtype=torch.float64) / rot)
    ang = torch.outer(positions.reshape(-1).double(), inv)
    emb = torch.cat([ang, ang], dim=1).view(*positions.shape, 1, rot)
    cos, sin = emb.cos().to(x.dtype), emb.sin().to(x.dtype)
    r = x[..., :rot]
    lo, hi = r.chunk(2, dim=-1)
    turned = r * cos + torch.cat([-hi, lo], dim=-1) * sin
    return torch.cat([turned, x[..., rot:]], dim=-1)
