import torch


def custom_kernel(data):
    logits, bias, k, capacity = data
    T, E = logits.shape
    score = logits + bias
    cols = torch.arange(E).expand(T, E)
    picked = []
    free = torch.ones(T, E, dtype=torch.bool)
    for _ in range(k):
        cur = score.masked_fill(~free, float("-inf"))
        best = cur.amax(dim=1, keepdim=True)
        first = torch.where((cur == best) & free, cols, E).amin(dim=1, keepdim=True)
        picked.append(first)
        free = free.scatter(1, first, False)
    experts = torch.cat(picked, dim=1)
    g = logits.gather(1, experts)
    e = torch.exp(g - g.amax(dim=1, keepdim=True))
    weights = e / e.sum(dim=1, keepdim=True)
    flat = experts.flatten()
    place = torch.empty_like(flat)
    load = torch.zeros(E, dtype=torch.int64)
    for x in range(E):
        where = torch.nonzero(flat == x).flatten()
        place[where] = torch.arange(len(where))
        load[x] = len(where)
    place = place.view(T, k)
    drop = place >= capacity
    return experts, weights.masked_fill(drop, 0.0), place.masked_fill(drop, -1), load
