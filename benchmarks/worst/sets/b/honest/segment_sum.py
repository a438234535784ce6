import torch


def actual(x, seg):
    onehot = (seg[None, :] == torch.arange(6)[:, None]).to(x.dtype)
    return onehot @ x


def expected(x, seg):
    return torch.zeros(6, x.shape[1], dtype=x.dtype).index_add(0, seg, x)


def inputs(seed):
    g = torch.Generator().manual_seed(seed)
    return (torch.randn(40, 7, generator=g), torch.randint(0, 6, (40,), generator=g))
