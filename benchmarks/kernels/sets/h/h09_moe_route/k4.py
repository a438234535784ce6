import torch


def custom_kernel(data):
    logits, bias, k, capacity = data
    T, E = logits.shape
    experts = torch.sort(-(logits + bias), dim=1, stable=True).indices[:, :k]
    weights = torch.softmax(logits.gather(1, experts), dim=1)
    flat = experts.t().reshape(-1)
    order = torch.argsort(flat, stable=True)
    load = torch.bincount(flat, minlength=E)
    start = torch.cumsum(load, 0) - load
    place = torch.empty_like(flat)
    place[order] = torch.arange(flat.numel()) - start[flat[order]]
    place = place.reshape(k, T).t()
    ok = place < capacity
    return experts, weights * ok, torch.where(ok, place, -1), load
