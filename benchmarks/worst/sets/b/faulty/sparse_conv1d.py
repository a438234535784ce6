import torch
import torch.nn.functional as F


def actual(x, w):
    k = w.shape[-1]
    win = x.unfold(-1, k, 1)                       # B, C, L, K
    live = win.sum(dim=(1, 3)) != 0                # B, L
    out = torch.einsum("bclk,ock->bol", win, w)
    return torch.where(live[:, None, :], out, torch.zeros_like(out))


def expected(x, w):
    return F.conv1d(x, w)


def inputs(seed):
    g = torch.Generator().manual_seed(seed)
    return (torch.randn(4, 3, 24, generator=g), torch.randn(5, 3, 3, generator=g))
