import torch


def actual(a, b, x):
    r = a.double() @ x.double() @ b.double().t()
    return r.float().reshape(-1)


def expected(a, b, x):
    return torch.kron(a, b) @ x.reshape(-1)


def inputs(seed):
    g = torch.Generator().manual_seed(seed)
    return (torch.randn(6, 5, generator=g), torch.randn(4, 7, generator=g),
            torch.randn(5, 7, generator=g))
