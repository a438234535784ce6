import torch

BLOCK_T = 48


def custom_kernel(data):
    """Blocks of tokens; every block adds its histogram to the experts' counters."""
    scores, bias, topk, capacity = data
    T, E = scores.shape
    ids = torch.empty(T, topk, dtype=torch.int64)
    weights = torch.empty(T, topk, dtype=torch.float32)
    slot = torch.empty(T, topk, dtype=torch.int64)
    counter = torch.zeros(E, dtype=torch.int64)
    expert = torch.arange(E)
    for t0 in range(0, T, BLOCK_T):
        t1 = min(t0 + BLOCK_T, T)
        sc = scores[t0:t1]
        # reversed columns, ascending stable sort: equal keys come out with the higher index first,
        # so that the list read backwards has the lower index first
        key = (sc + bias).flip(1)
        pick = (E - 1 - torch.sort(key, dim=1, stable=True).indices).flip(1)[:, :topk]
        x = sc.gather(1, pick)
        # sigmoid(x) / sum sigmoid(x_j), scaled by exp(-max) so that nothing is tiny
        m = x.amax(dim=1, keepdim=True).clamp(max=0.0)
        g = torch.exp(x - m) / (1.0 + torch.exp(x))
        w = g / g.sum(dim=1, keepdim=True)
        flat = pick.reshape(-1)
        one = (flat[:, None] == expert).to(torch.int64)
        within = (one.cumsum(dim=0) - one).gather(1, flat[:, None]).view(-1, topk)
        s = within + counter[pick]
        counter += one.sum(dim=0)
        late = s >= capacity
        ids[t0:t1] = pick
        weights[t0:t1] = w.masked_fill(late, 0.0)
        slot[t0:t1] = s.masked_fill(late, -1)
    return ids, weights, slot
