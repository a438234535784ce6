import math
import torch


def generate_input(batch, length, sections, rmax=0.9, seed=0):
    g = torch.Generator().manual_seed(seed)
    r = 0.3 + (rmax - 0.3) * torch.rand(sections, generator=g)
    th = math.pi * (0.05 + 0.9 * torch.rand(sections, generator=g))
    rz = 0.5 + 0.5 * torch.rand(sections, generator=g)
    tz = math.pi * torch.rand(sections, generator=g)
    one = torch.ones(sections)
    gain = 0.5 + torch.rand(sections, generator=g)
    sos = torch.stack([gain, -2 * gain * rz * torch.cos(tz), gain * rz * rz, one, -2 * r * torch.cos(th), r * r], 1)
    x = torch.randn(batch, length, generator=g)
    zi = 0.5 * torch.randn(batch, sections, 2, generator=g)
    return x, sos, zi


def ref_kernel(data):
    x, sos, zi = data
    S = sos.shape[0]
    b = sos[:, :3] / sos[:, 3:4]
    a = sos[:, 4:] / sos[:, 3:4]
    z = zi.clone()
    y = torch.empty_like(x)
    for t in range(x.shape[1]):
        v = x[:, t]
        for s in range(S):
            w = b[s, 0] * v + z[:, s, 0]
            z1 = b[s, 1] * v - a[s, 0] * w + z[:, s, 1]
            z2 = b[s, 2] * v - a[s, 1] * w
            z[:, s, 0], z[:, s, 1] = z1, z2
            v = w
        y[:, t] = v
    return y, z
