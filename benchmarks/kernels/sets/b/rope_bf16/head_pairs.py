import torch


def custom_kernel(data):
    """Two heads per program, so that one angle load serves both."""
    x, pos = data
    B, T, H, D = x.shape
    half = D // 2
    inv = 10000.0 ** (-torch.arange(0, D, 2).double() / D)
    ang = pos.double()[:, None] * inv
    c, s = ang.cos().float()[:, None], ang.sin().float()[:, None]
    out = x.clone()
    for pair in range(H // 2):
        hs = slice(2 * pair, 2 * pair + 2)
        lo, hi = x[:, :, hs, :half].float(), x[:, :, hs, half:].float()
        out[:, :, hs, :half] = (lo * c - hi * s).bfloat16()
        out[:, :, hs, half:] = (hi * c + lo * s).bfloat16()
    return out
