import torch


def custom_kernel(data):
    values, ids, segments = data
    D = values.shape[1]
    order = torch.argsort(ids, stable=True)
    v = values[order]
    sid = ids[order]
    edges = torch.searchsorted(sid, torch.arange(segments + 1))
    run = torch.cat([torch.zeros(1, D), torch.cumsum(v, dim=0)])
    total = run[edges[1:]] - run[edges[:-1]]
    count = edges[1:] - edges[:-1]
    mean = total / count.clamp(min=1)[:, None]
    top = torch.full((segments, D), float("-inf"))
    for s in torch.nonzero(count).flatten().tolist():
        top[s] = v[edges[s]:edges[s + 1]].amax(0)
    return total, mean, top
