import torch


def custom_kernel(data):
    """topk rounds of arg-max (the first maximum wins), counters per expert in token order."""
    scores, bias, topk, capacity = data
    T, E = scores.shape
    key = scores + bias
    picks = []
    for _ in range(topk):
        best = key.argmax(dim=1, keepdim=True)
        # first index among equal maxima, spelled out
        top = key.gather(1, best)
        first = torch.where(key == top, torch.arange(E), torch.full((), E)).amin(dim=1, keepdim=True)
        picks.append(first)
        key = key.scatter(1, first, float("-inf"))
    ids = torch.cat(picks, dim=1)
    gate = 1.0 / (1.0 + torch.exp(-scores.gather(1, ids)))
    weights = gate / gate.sum(dim=1, keepdim=True)

    # slot = pairs of earlier tokens with this expert (a token names an expert at most once)
    hits = torch.zeros(T, E, dtype=torch.int64)
    hits.scatter_(1, ids, 1)
    before = hits.cumsum(dim=0) - hits
    slot = before.gather(1, ids)
    fits = slot < capacity
    return ids, weights * fits, slot.masked_fill(~fits, -1)
