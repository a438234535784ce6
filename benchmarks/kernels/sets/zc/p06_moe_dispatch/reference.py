import torch


def generate_input(tokens: int, experts: int, topk: int, capacity: int, levels: int, spread: float, seed: int):
    gen = torch.Generator().manual_seed(seed)
    scores = torch.randn(tokens, experts, generator=gen) * spread
    bias = torch.randn(experts, generator=gen) * 0.1
    if levels > 0:
        scores = torch.round(scores * levels) / levels
        bias = torch.round(bias * levels) / levels
    scores = scores.clamp(-30.0, 30.0).contiguous()
    return scores, bias, topk, capacity


def ref_kernel(data):
    scores, bias, topk, capacity = data
    T, E = scores.shape
    key = scores + bias
    order = torch.sort(key, dim=1, descending=True, stable=True).indices
    ids = order[:, :topk].contiguous()
    s = torch.sigmoid(scores.gather(1, ids))
    weights = s / s.sum(dim=1, keepdim=True)
    flat = ids.reshape(-1)
    onehot = torch.nn.functional.one_hot(flat, E)
    slot = (onehot.cumsum(dim=0) - 1).gather(1, flat[:, None]).reshape(T, topk)
    dropped = slot >= capacity
    slot = torch.where(dropped, torch.full_like(slot, -1), slot)
    weights = torch.where(dropped, torch.zeros_like(weights), weights)
    return ids, weights, slot
