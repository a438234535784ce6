import torch


def custom_kernel(data):
    """Block maximum through frexp; rounding through an offset table."""
    x = data[0]
    R, C = x.shape
    b = x.reshape(R, -1, 32)
    finite = torch.isfinite(b)
    clean = torch.where(finite, b, torch.zeros_like(b))
    amax = clean.abs().amax(-1)
    e = torch.frexp(amax).exponent.int()
    s = torch.where(amax > 0, e - 3, -127).clamp(-127, 127)
    a = torch.ldexp(clean.abs().double(), -s[..., None])
    c = torch.where(a < 2, torch.round(a * 2), torch.where(a < 4, torch.round(a) + 2, torch.round(a / 2) + 4))
    c = c.clamp_max(7).int() + 8 * torch.signbit(clean).int()
    c = torch.where(finite, c, torch.zeros_like(c)).view(R, C // 2, 2)
    sb = torch.where(finite.all(-1), s + 127, 255)
    return (c[..., 0] | (c[..., 1] << 4)).to(torch.uint8), sb.to(torch.uint8)
