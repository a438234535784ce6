import torch


def _angles(pos, half):
    f = 100.0 ** (-torch.arange(half, dtype=torch.float32) / half)
    return pos.to(torch.float32)[:, None] * f


def actual(x, pos):
    half = x.shape[1] // 2
    ang = _angles(pos, half).to(x.dtype)
    z = torch.complex(x[:, :half].contiguous(), x[:, half:].contiguous())
    r = z * torch.polar(torch.ones_like(ang), ang)
    return torch.cat([r.real, r.imag], dim=1)


def expected(x, pos):
    half = x.shape[1] // 2
    ang = _angles(pos, half).to(x.dtype)
    a, b = x[:, :half], x[:, half:]
    return torch.cat([a * torch.cos(ang) - b * torch.sin(ang),
                      a * torch.sin(ang) + b * torch.cos(ang)], dim=1)


def inputs(seed):
    g = torch.Generator().manual_seed(seed)
    return (torch.randn(16, 20, generator=g), torch.randint(0, 400, (16,), generator=g))
