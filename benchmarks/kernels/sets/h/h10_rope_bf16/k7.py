import torch


def custom_kernel(data):
    x, positions, rot, base = data
    half = rot // 2
    inv = base ** (-torch.arange(half).double() / half)
    ang = (positions.double()[..., None] * inv).unsqueeze(2)
    c, s = ang.cos().float(), ang.sin().float()
    lo = x[..., :half].float()
    hi = x[..., half:rot].float()
    x[..., :half] = (lo * c - hi * s).to(x.dtype)
    x[..., half:rot] = (hi * c + lo * s).to(x.dtype)
    return x
