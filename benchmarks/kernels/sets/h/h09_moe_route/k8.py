import torch


def custom_kernel(data):
    logits, bias, k, capacity = data
    T, E = logits.shape
    experts = torch.argsort(logits + bias, dim=1, descending=True, stable=True)[:, :k].contiguous()
    e = torch.exp(logits).gather(1, experts)
    weights = e / e.sum(dim=1, keepdim=True)
    hot = torch.zeros(T, E, dtype=torch.int64).scatter_add_(1, experts, torch.ones_like(experts))
    load = hot.sum(dim=0)
    place = (torch.cumsum(hot, dim=0) - hot).gather(1, experts)
    ok = place < capacity
    return experts, torch.where(ok, weights, 0.0), torch.where(ok, place, -1), load
