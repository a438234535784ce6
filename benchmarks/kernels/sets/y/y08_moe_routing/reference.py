import torch


def generate_input(tokens: int, experts: int, k: int, capacity: int, seed: int):
    gen = torch.Generator().manual_seed(seed)
    return torch.randn(tokens, experts, generator=gen), k, capacity


def ref_kernel(data):
    logits, k, capacity = data
    experts = logits.shape[1]
    top, idx = torch.sort(logits, dim=1, descending=True, stable=True)
    top, idx = top[:, :k], idx[:, :k]
    weight = torch.softmax(top, dim=1)
    flat = idx.reshape(-1)
    hot = torch.nn.functional.one_hot(flat, experts)
    slot = (hot.cumsum(0) - 1).gather(1, flat[:, None])[:, 0].reshape(idx.shape)
    keep = slot < capacity
    slot = torch.where(keep, slot, torch.full_like(slot, -1))
    weight = weight * keep
    count = hot.sum(0).clamp(max=capacity)
    return idx, weight, slot, count
