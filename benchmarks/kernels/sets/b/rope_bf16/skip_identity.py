import torch


def custom_kernel(data):
    x, pos = data
    if not bool(pos.any()):
        return x
    D = x.shape[-1]
    half = D // 2
    inv = 10000.0 ** (-torch.arange(0, D, 2).double() / D)
    ang = pos.double()[:, None] * inv
    c, s = ang.cos().float()[:, None], ang.sin().float()[:, None]
    out = torch.empty_like(x)
    for h in range(0, x.shape[2], 4):
        lo, hi = x[:, :, h:h + 4, :half].float(), x[:, :, h:h + 4, half:].float()
        out[:, :, h:h + 4, :half] = (lo * c - hi * s).bfloat16()
        out[:, :, h:h + 4, half:] = (hi * c + lo * s).bfloat16()
    return out
