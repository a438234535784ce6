import torch


def actual(x, seg):
    order = torch.argsort(seg, stable=True)
    return torch.zeros(10, x.shape[1], dtype=x.dtype).index_add(0, seg[order], x[order])


def expected(x, seg):
    hot = (seg[None, :] == torch.arange(10)[:, None]).to(x.dtype)
    return hot @ x


def inputs(seed):
    g = torch.Generator().manual_seed(seed)
    return (torch.randn(60, 4, generator=g), torch.randint(0, 10, (60,), generator=g))
