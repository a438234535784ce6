import torch


def custom_kernel(data):
    p, c, w = data
    pd, cd = p.double(), c.double()
    K = c.shape[0]
    best = torch.full((p.shape[0],), float("inf"), dtype=torch.float64)
    assign = torch.zeros(p.shape[0], dtype=torch.int64)
    for k in range(K):
        s = (pd - cd[k]).square().sum(1)
        take = s < best
        best = torch.where(take, s, best)
        assign = torch.where(take, k, assign)
    wd = torch.ones_like(best) if w is None else w.double()
    mass = torch.bincount(assign, weights=wd, minlength=K)
    tot = torch.zeros_like(cd).index_add_(0, assign, pd * wd[:, None])
    new = tot / mass.clamp(min=1e-8)[:, None]      # no division by zero
    return assign, new.float()
