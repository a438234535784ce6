import torch


def actual(a, b, t):
    t = t.clamp(0.0, 1.0)
    return a + t * (b - a)


def expected(a, b, t):
    t = t.clamp(0.0, 1.0)
    return (1.0 - t) * a + t * b


def inputs(seed):
    g = torch.Generator().manual_seed(seed)
    return (torch.randn(16, 20, generator=g), torch.randn(16, 20, generator=g),
            torch.rand(16, 20, generator=g))
