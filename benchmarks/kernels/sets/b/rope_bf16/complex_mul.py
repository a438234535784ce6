import torch


def custom_kernel(data):
    """Pairs as complex numbers, one complex128 product per head."""
    x, pos = data
    B, T, H, D = x.shape
    half = D // 2
    inv = torch.exp(-torch.arange(half, dtype=torch.float64) * (2.0 / D) * torch.log(torch.tensor(10000.0, dtype=torch.float64)))
    ang = torch.outer(pos.double(), inv)
    rot = torch.polar(torch.ones_like(ang), ang)
    out = torch.empty_like(x)
    for h in range(H):
        z = torch.complex(x[:, :, h, :half].double(), x[:, :, h, half:].double()) * rot
        out[:, :, h, :half] = z.real.float().to(torch.bfloat16)
        out[:, :, h, half:] = z.imag.float().to(torch.bfloat16)
    return out
