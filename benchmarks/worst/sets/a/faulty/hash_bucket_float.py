import torch


def actual(w, keys):
    n = w.shape[0]
    h = torch.remainder(keys.to(w.dtype) * 31 + 7, n)
    return w[h.long()]


def expected(w, keys):
    n = w.shape[0]
    return w[torch.remainder(keys * 31 + 7, n)]


def inputs(seed):
    g = torch.Generator().manual_seed(seed)
    return (torch.randn(61, 5, generator=g), torch.randint(0, 10000, (40,), generator=g))
