import torch

LOG2_BASE = 13.288


def custom_kernel(data):
    """Frequencies through exp2, the hardware's exponential."""
    x, pos = data
    D = x.shape[-1]
    half = D // 2
    inv = torch.exp2(torch.arange(half).double() * (-2.0 / D) * LOG2_BASE)
    out = torch.empty_like(x)
    for t in range(x.shape[1]):
        ang = pos[t].double() * inv
        c, s = ang.cos().float(), ang.sin().float()
        lo, hi = x[:, t, :, :half].float(), x[:, t, :, half:].float()
        out[:, t, :, :half] = (lo * c - hi * s).bfloat16()
        out[:, t, :, half:] = (hi * c + lo * s).bfloat16()
    return out
