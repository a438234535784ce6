import torch


def custom_kernel(data):
    x, positions, rot, base = data
    half = rot // 2
    uniq, back = torch.unique(positions, return_inverse=True)
    freq = torch.pow(torch.tensor(base, dtype=torch.float64), -torch.arange(half, dtype=torch.float64) / half)
    grid = uniq.to(torch.float64)[:, None] * freq[None, :]
    table = torch.stack([grid.cos(), grid.sin()], dim=-1).float()
    cs = table[back].unsqueeze(2)
    out = x.clone()
    step = 32
    for s in range(0, x.shape[1], step):
        part = x[:, s:s + step, :, :rot].float().unflatten(-1, (2, half))
        c, n = cs[:, s:s + step, ..., 0], cs[:, s:s + step, ..., 1]
        out[:, s:s + step, :, :half] = (part[..., 0, :] * c - part[..., 1, :] * n).to(x.dtype)
        out[:, s:s + step, :, half:rot] = (part[..., 1, :] * c + part[..., 0, :] * n).to(x.dtype)
    return out
