import torch


def actual(base, idx, upd):
    out = base.clone()
    out[idx] = out[idx] + upd
    return out


def expected(base, idx, upd):
    return base.index_add(0, idx, upd)


def inputs(seed):
    g = torch.Generator().manual_seed(seed)
    return (torch.randn(16, 20, generator=g), torch.randperm(16, generator=g)[:10],
            torch.randn(10, 20, generator=g))
