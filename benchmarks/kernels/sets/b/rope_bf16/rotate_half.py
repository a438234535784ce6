import torch


def custom_kernel(data):
    """x * cos + rotate_half(x) * sin with a table per distinct position."""
    x, pos = data
    D = x.shape[-1]
    half = D // 2
    uniq, where = torch.unique(pos, return_inverse=True)
    freq = torch.pow(torch.tensor(10000.0, dtype=torch.float64), -torch.arange(half).double() * 2 / D)
    ang = uniq.double()[:, None] * freq[None]
    cos = torch.cat([ang.cos(), ang.cos()], 1).float()[where][:, None, :]
    sin = torch.cat([ang.sin(), ang.sin()], 1).float()[where][:, None, :]
    out = []
    for b in range(x.shape[0]):
        f = x[b].float()
        rot = torch.cat([-f[..., half:], f[..., :half]], -1)
        out.append((f * cos + rot * sin).bfloat16())
    return torch.stack(out)
