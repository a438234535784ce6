import torch


def actual(x):
    m = torch.full_like(x[:, :1], float("-inf"))
    l = torch.zeros_like(m)
    for c in x.split(6, dim=-1):
        new = torch.maximum(m, c.amax(-1, keepdim=True))
        l = l * torch.exp(m - new) + torch.exp(c - new).sum(-1, keepdim=True)
        m = new
    return torch.exp(x - m) / l


def expected(x):
    return torch.softmax(x, dim=-1)


def inputs(seed):
    g = torch.Generator().manual_seed(seed)
    return (torch.randn(16, 20, generator=g),)
