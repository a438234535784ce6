import torch


def custom_kernel(data):
    """Rounds with the half-to-even of torch.round, segment by segment of the E2M1 grid."""
    x = data[0]
    R, C = x.shape
    b = x.reshape(-1, 32)
    bits = b.view(torch.int32) & 0x7FFFFFFF
    e = bits.amax(1) >> 23
    bad = e == 255
    byte = (e - 2).clamp_min(0)
    mul = ((254 - byte) << 23).view(torch.float32)
    a = torch.where(bad[:, None], torch.zeros_like(b), b).abs() * torch.where(bad, torch.ones_like(mul), mul)[:, None]
    c = torch.where(a < 2, torch.round(a * 2), torch.where(a < 4, torch.round(a) + 2, torch.round(a / 2) + 4))
    c = c.clamp_max(7).to(torch.int32) + torch.signbit(b) * 8
    c = c.masked_fill(bad[:, None], 0).view(R, C // 2, 2)
    return (c[..., 0] + 16 * c[..., 1]).to(torch.uint8), byte.masked_fill(bad, 255).to(torch.uint8).view(R, C // 32)
