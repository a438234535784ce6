import torch


def actual(x):
    block = 8
    count, mean, m2 = 0, None, None
    for c in x.split(block, dim=-1):
        bm = c.mean(-1)
        b2 = ((c - bm[:, None]) ** 2).sum(-1)
        if mean is None:
            count, mean, m2 = block, bm, b2
            continue
        d = bm - mean
        total = count + block
        mean = mean + d * (block / total)
        m2 = m2 + b2 + d * d * (count * block / total)
        count = total
    return m2 / count


def expected(x):
    return torch.var(x, dim=-1, unbiased=False)


def inputs(seed):
    g = torch.Generator().manual_seed(seed)
    return (torch.randn(16, 24, generator=g),)
