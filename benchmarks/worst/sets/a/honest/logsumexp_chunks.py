import torch


def actual(x):
    parts = []
    for b in x.split(9, dim=-1):
        m = b.amax(-1, keepdim=True)
        parts.append(m[..., 0] + torch.log(torch.exp(b - m).sum(-1)))
    p = torch.stack(parts, -1)
    m = p.amax(-1)
    return m + torch.log(torch.exp(p - m[..., None]).sum(-1))


def expected(x):
    return torch.logsumexp(x, -1)


def inputs(seed):
    g = torch.Generator().manual_seed(seed)
    return (torch.randn(16, 50, generator=g),)
