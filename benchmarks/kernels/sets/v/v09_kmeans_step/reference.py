import torch


def generate_input(points: int, dim: int, clusters: int, offset: float, grid: bool, outliers: int, weighted: bool, layout: str, seed: int):
    gen = torch.Generator().manual_seed(seed)
    if grid:
        p = torch.randint(-3, 4, (points, dim), generator=gen).float() + offset
        c = torch.randint(-3, 4, (clusters, dim), generator=gen).float() + offset
    else:
        p = torch.randn(points, dim, generator=gen) + offset
        c = torch.randn(clusters, dim, generator=gen) * 0.5 + offset
    for i in range(outliers):  # centroids far from all points
        c[i * 2 % clusters] += 50.0 + i
    w = 0.1 + torch.rand(points, generator=gen) if weighted else None
    if layout == "transposed":
        p = p.t().contiguous().t()
    return p, c, w


def ref_kernel(data):
    p, c, w = data
    pd, cd = p.double(), c.double()
    d2 = ((pd[:, None, :] - cd[None]) ** 2).sum(2)
    assign = torch.zeros(p.shape[0], dtype=torch.int64)
    best = d2[:, 0].clone()
    for k in range(1, c.shape[0]):
        closer = d2[:, k] < best
        assign[closer] = k
        best = torch.where(closer, d2[:, k], best)
    wd = torch.ones(p.shape[0], dtype=torch.float64) if w is None else w.double()
    mass = torch.zeros(c.shape[0], dtype=torch.float64).index_add_(0, assign, wd)
    total = torch.zeros_like(cd).index_add_(0, assign, pd * wd[:, None])
    new = torch.where(mass[:, None] > 0, total / mass.clamp(min=1e-30)[:, None], cd)
    return assign, new.float()
