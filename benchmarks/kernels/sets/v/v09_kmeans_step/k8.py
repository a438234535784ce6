import torch


# nearest = largest p.c - |c|^2 / 2, in float64 relative to the first centroid
def custom_kernel(data):
    p, c, w = data
    N, K = p.shape[0], c.shape[0]
    org = c[0].double()
    pd, cd = p.double() - org, c.double() - org
    score = torch.zeros(N, K, dtype=torch.float64)
    half = torch.zeros(K, dtype=torch.float64)
    for d in range(p.shape[1]):
        score.addcmul_(pd[:, d, None], cd[None, :, d])
        half.addcmul_(cd[:, d], cd[:, d], value=0.5)
    score -= half
    assign = torch.sort(score, dim=1, descending=True, stable=True).indices[:, 0]
    wd = torch.ones(N, dtype=torch.float64) if w is None else w.double()
    new = c.double()
    for k in range(K):
        m = assign == k
        if m.any():
            new[k] = (pd[m] * wd[m, None]).sum(0) / wd[m].sum() + org
    return assign, new.float()
