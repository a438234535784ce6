import torch


def actual(x):
    n = x.shape[-1]
    while x.shape[-1] > 1:
        k = x.shape[-1] // 2
        y = x[..., :k] + x[..., k:2 * k]
        if x.shape[-1] % 2:
            y = torch.cat([y, x[..., 2 * k:]], -1)
        x = y
    return x[..., 0] / n


def expected(x):
    return x.mean(-1)


def inputs(seed):
    g = torch.Generator().manual_seed(seed)
    return (torch.randn(16, 100, generator=g),)
