import torch

BLOCK = 512


def custom_kernel(data):
    """Slots through matrix products: the exclusive prefix sum of the one-hot rows is a strictly
    lower triangular matrix of ones times the one-hot matrix (tensor-core friendly)."""
    scores, bias, topk, capacity = data
    T, E = scores.shape
    order = torch.sort(scores + bias, dim=1, descending=True, stable=True)[1]
    ids = order[:, :topk].contiguous()
    g = torch.sigmoid(scores.gather(1, ids))
    weights = g / g.sum(dim=1, keepdim=True)
    hits = torch.zeros(T, E, dtype=torch.bfloat16)
    hits.scatter_(1, ids, 1.0)
    carry = torch.zeros(1, E, dtype=torch.int64)
    rows = []
    for t0 in range(0, T, BLOCK):
        h = hits[t0 : t0 + BLOCK]
        n = h.shape[0]
        tri = torch.ones(n, n, dtype=torch.bfloat16).tril(-1)
        local = tri @ h
        rows.append(local.to(torch.int64) + carry)
        carry = carry + h.to(torch.int64).sum(dim=0, keepdim=True)
    slot = torch.cat(rows).gather(1, ids)
    drop = slot >= capacity
    slot = torch.where(drop, torch.full_like(slot, -1), slot)
    return ids, weights.masked_fill(drop, 0.0), slot
