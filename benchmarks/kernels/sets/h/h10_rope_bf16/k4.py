import torch


def custom_kernel(data):
    x, positions, rot, base = data
    half = rot // 2
    p = positions.to(x.dtype).double()
    inv = base ** (-torch.arange(half).double() / half)
    ang = (p[..., None] * inv).unsqueeze(2)
    c, s = ang.cos().float(), ang.sin().float()
    lo, hi, rest = x.split([half, half, x.shape[-1] - rot], dim=-1)
    lo, hi = lo.float(), hi.float()
    return torch.cat([(lo * c - hi * s).to(x.dtype), (hi * c + lo * s).to(x.dtype), rest], dim=-1)
