import torch


def _apply(x, y, alpha):
    v = x.clone()
    v[:, 0] = v[:, 0] - alpha
    vv = (v * v).sum(-1, keepdim=True)
    vy = (v * y).sum(-1, keepdim=True)
    r = y - 2.0 * v * vy / torch.where(vv == 0, torch.ones_like(vv), vv)
    return torch.where(vv == 0, y, r)


def actual(x, y):
    alpha = -torch.sign(x[:, 0]) * torch.sqrt((x * x).sum(-1))
    return _apply(x, y, alpha)


def expected(x, y):
    one = torch.ones_like(x[:, 0])
    s = torch.where(x[:, 0] < 0, -one, one)
    alpha = -s * torch.sqrt((x * x).sum(-1))
    return _apply(x, y, alpha)


def inputs(seed):
    g = torch.Generator().manual_seed(seed)
    return (torch.randn(16, 20, generator=g), torch.randn(16, 20, generator=g))
