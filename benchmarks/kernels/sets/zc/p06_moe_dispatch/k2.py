import torch


def custom_kernel(data):
    scores, bias, topk, capacity = data
    T, E = scores.shape
    key = scores + bias
    # stable ascending sort, the last topk columns in reverse are the largest
    order = torch.argsort(key, dim=1, stable=True)
    ids = order[:, E - topk :].flip(1).contiguous()
    gate = torch.sigmoid(scores.gather(1, ids))
    weights = gate / gate.sum(dim=1, keepdim=True)

    flat = ids.reshape(-1)
    by_expert = torch.argsort(flat, stable=True)
    counts = torch.bincount(flat, minlength=E)
    starts = counts.cumsum(0) - counts
    slot = torch.empty_like(flat)
    slot[by_expert] = torch.arange(flat.numel()) - starts[flat[by_expert]]
    slot = slot.view(T, topk)
    drop = slot >= capacity
    return ids, weights.masked_fill(drop, 0.0), slot.masked_fill(drop, -1)
