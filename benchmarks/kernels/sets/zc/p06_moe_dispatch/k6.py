import torch


def custom_kernel(data):
    scores, bias, topk, capacity = data
    T, E = scores.shape
    key = scores + bias
    vals, order = torch.sort(key, dim=1, descending=True, stable=True)
    ids = order[:, :topk].contiguous()
    gate = torch.sigmoid(scores).gather(1, ids)
    weights = gate / (gate.sum(dim=1, keepdim=True) + 1e-9)
    onehot = torch.zeros(T * topk, E, dtype=torch.int32)
    onehot[torch.arange(T * topk), ids.view(-1)] = 1
    pos = onehot.cumsum(dim=0, dtype=torch.int32) - onehot
    slot = pos.gather(1, ids.view(-1, 1)).view(T, topk).to(torch.int64)
    ok = slot < capacity
    return ids, weights * ok.to(weights.dtype), torch.where(ok, slot, torch.full_like(slot, -1))
