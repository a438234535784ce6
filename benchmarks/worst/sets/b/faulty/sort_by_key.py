import torch


def actual(x, y):
    n = x.shape[-1]
    b = x.contiguous().view(torch.int32)
    key = b ^ ((b >> 31) & 0x7FFFFFFF)
    lane = torch.arange(n, dtype=torch.int32)
    packed = (key & ~31) | lane
    packed = torch.sort(packed, dim=-1).values
    return torch.gather(y, -1, (packed & 31).long())


def expected(x, y):
    return torch.gather(y, -1, torch.sort(x, dim=-1, stable=True).indices)


def inputs(seed):
    g = torch.Generator().manual_seed(seed)
    return (torch.randn(16, 20, generator=g), torch.randn(16, 20, generator=g))
