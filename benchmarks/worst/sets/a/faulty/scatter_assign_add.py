import torch


def actual(table, idx, v):
    out = table.clone()
    out[idx] += v
    return out


def expected(table, idx, v):
    return table.index_add(0, idx, v)


def inputs(seed):
    g = torch.Generator().manual_seed(seed)
    return (torch.randn(64, 4, generator=g), torch.randperm(64, generator=g)[:32], torch.randn(32, 4, generator=g))
