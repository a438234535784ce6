import torch

TILE = 32


def custom_kernel(data):
    x, _ = data
    B, T, H, D = x.shape
    half = D // 2
    inv = 10000.0 ** (-torch.arange(half).double() * 2 / D)
    out = torch.empty_like(x)
    for pid in range((T + TILE - 1) // TILE):
        rows = pid * TILE + torch.arange(TILE)
        rows = rows[rows < T]
        ang = rows.double()[:, None] * inv
        c, s = ang.cos().float()[:, None], ang.sin().float()[:, None]
        lo, hi = x[:, rows, :, :half].float(), x[:, rows, :, half:].float()
        out[:, rows] = torch.cat([lo * c - hi * s, hi * c + lo * s], -1).bfloat16()
    return out
