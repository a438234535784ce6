import torch

_N, _HALF = 512, 10
_FREQ = 100.0 ** (-torch.arange(_HALF, dtype=torch.float32) / _HALF)
_ANG = torch.arange(_N, dtype=torch.float32)[:, None] * _FREQ
_COS, _SIN = torch.cos(_ANG), torch.sin(_ANG)


def actual(x, pos):
    i = pos.clamp(0, _N - 1)
    c, s = _COS[i], _SIN[i]
    a, b = x[:, :_HALF], x[:, _HALF:]
    return torch.cat([a * c - b * s, a * s + b * c], dim=1)


def expected(x, pos):
    ang = pos.to(torch.float32)[:, None] * _FREQ
    a, b = x[:, :_HALF], x[:, _HALF:]
    return torch.cat([a * torch.cos(ang) - b * torch.sin(ang),
                      a * torch.sin(ang) + b * torch.cos(ang)], dim=1)


def inputs(seed):
    g = torch.Generator().manual_seed(seed)
    return (torch.randn(16, 20, generator=g), torch.randint(0, 400, (16,), generator=g))
