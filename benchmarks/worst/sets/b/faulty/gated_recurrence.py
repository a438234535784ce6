import torch


def actual(x, y):
    a = torch.sigmoid(x)
    c = torch.cumprod(a, dim=-1)
    return c * torch.cumsum(y / c, dim=-1)


def expected(x, y):
    a = torch.sigmoid(x)
    h = torch.zeros_like(y[:, 0])
    out = []
    for t in range(y.shape[1]):
        h = a[:, t] * h + y[:, t]
        out.append(h)
    return torch.stack(out, dim=1)


def inputs(seed):
    g = torch.Generator().manual_seed(seed)
    return (torch.randn(16, 20, generator=g), torch.randn(16, 20, generator=g))
