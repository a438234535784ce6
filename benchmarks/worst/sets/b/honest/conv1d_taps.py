import torch
import torch.nn.functional as F


def actual(x, w, b):
    k = w.shape[-1]
    n = x.shape[-1] + 2 - k + 1
    xp = F.pad(x, (1, 1))
    out = b[None, :, None].expand(x.shape[0], -1, n)
    for j in range(k):
        out = out + torch.matmul(w[:, :, j], xp[:, :, j:j + n])
    return out


def expected(x, w, b):
    return F.conv1d(x, w, b, padding=1)


def inputs(seed):
    g = torch.Generator().manual_seed(seed)
    return (torch.randn(4, 3, 24, generator=g), torch.randn(5, 3, 3, generator=g),
            torch.randn(5, generator=g))
