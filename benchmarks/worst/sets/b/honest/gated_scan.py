import torch


def actual(x, y):
    a, h = torch.sigmoid(x), y
    d = 1
    while d < y.shape[1]:
        h = torch.cat([h[:, :d], a[:, d:] * h[:, :-d] + h[:, d:]], dim=1)
        a = torch.cat([a[:, :d], a[:, d:] * a[:, :-d]], dim=1)
        d *= 2
    return h


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
