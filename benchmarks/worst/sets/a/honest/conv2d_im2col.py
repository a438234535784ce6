import torch
import torch.nn.functional as F


def actual(x, w, b):
    n, _, hh, ww = x.shape
    o, _, kh, kw = w.shape
    cols = F.unfold(x, (kh, kw), padding=1)
    y = w.reshape(o, -1) @ cols + b.reshape(1, o, 1)
    return y.reshape(n, o, hh + 3 - kh, ww + 3 - kw)


def expected(x, w, b):
    return F.conv2d(x, w, b, padding=1)


def inputs(seed):
    g = torch.Generator().manual_seed(seed)
    return (torch.randn(2, 3, 9, 9, generator=g), torch.randn(4, 3, 3, 3, generator=g), torch.randn(4, generator=g))
