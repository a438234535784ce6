import torch


def custom_kernel(data):
    scores, bias, topk, capacity = data
    T, E = scores.shape
    key = torch.add(scores, bias)
    # rank of every expert: how many beat it, by key or, at equal keys, by index
    gt = key.unsqueeze(1) > key.unsqueeze(2)  # [t, e, f]: f beats e
    eq = key.unsqueeze(1) == key.unsqueeze(2)
    lower = torch.ones(E, E, dtype=torch.bool).tril(-1)
    rank = (gt | (eq & lower)).sum(dim=2)  # (T, E)
    tok, exp = torch.nonzero(rank < topk, as_tuple=True)
    ids = torch.empty(T, topk, dtype=torch.int64)
    ids[tok, rank[tok, exp]] = exp
    # softmax-like normalisation in log space: log sigmoid, then subtract the log of the sum
    ls = torch.nn.functional.logsigmoid(scores.gather(1, ids))
    weights = torch.exp(ls - torch.logsumexp(ls, dim=1, keepdim=True))
    # dispatch order: stable sort by expert, position inside of the expert's run
    flat = ids.flatten()
    sorted_e, perm = torch.sort(flat, stable=True)
    start = torch.searchsorted(sorted_e, torch.arange(E))
    slot = torch.empty_like(flat)
    slot[perm] = torch.arange(flat.numel()) - start[sorted_e]
    slot = slot.view(T, topk)
    keep = slot < capacity
    return ids, torch.where(keep, weights, 0.0), torch.where(keep, slot, -1)
