import torch
import torch.nn.functional as F


def actual(x, t):
    keep = t != -100
    m = x.amax(-1)
    picked = torch.gather(x, 1, torch.where(keep, t, torch.zeros_like(t))[:, None])[:, 0]
    loss = (m - picked) + torch.log(torch.exp(x - m[:, None]).sum(-1))
    return torch.where(keep, loss, torch.zeros_like(loss)).sum() / keep.sum()


def expected(x, t):
    return F.cross_entropy(x, t, ignore_index=-100)


def inputs(seed):
    g = torch.Generator().manual_seed(seed)
    t = torch.randint(0, 20, (16,), generator=g)
    t[::5] = -100
    return (torch.randn(16, 20, generator=g), t)
