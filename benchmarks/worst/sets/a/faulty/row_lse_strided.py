import torch


def actual(x):
    n, m = x.shape
    rows = torch.as_strided(x, (n, m), (m, 1))
    top = rows.amax(1, keepdim=True)
    return top[:, 0] + torch.log(torch.exp(rows - top).sum(1))


def expected(x):
    return torch.logsumexp(x, dim=1)


def inputs(seed):
    g = torch.Generator().manual_seed(seed)
    return (torch.randn(24, 24, generator=g),)
