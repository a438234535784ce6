import torch


def actual(x):
    d = 1
    while d < x.shape[-1]:
        x = torch.cat([x[:, :d], x[:, d:] + x[:, :-d]], dim=-1)
        d *= 2
    return x


def expected(x):
    acc = torch.zeros_like(x[:, 0])
    out = []
    for i in range(x.shape[1]):
        acc = acc + x[:, i]
        out.append(acc)
    return torch.stack(out, dim=1)


def inputs(seed):
    g = torch.Generator().manual_seed(seed)
    return (torch.randn(16, 20, generator=g),)
