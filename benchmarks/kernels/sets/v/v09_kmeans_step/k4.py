import torch


def custom_kernel(data):
    p, c, w = data
    # |p|^2 is the same for all centroids
    d2 = (c * c).sum(1)[None] - 2.0 * (p @ c.t())
    assign = d2.argmin(1)
    wd = torch.ones(p.shape[0], dtype=torch.float64) if w is None else w.double()
    mass = torch.zeros(c.shape[0], dtype=torch.float64).index_add_(0, assign, wd)
    tot = torch.zeros(c.shape, dtype=torch.float64).index_add_(0, assign, p.double() * wd[:, None])
    new = torch.where(mass[:, None] > 0, tot / mass.clamp(min=1e-30)[:, None], c.double())
    return assign, new.float()
