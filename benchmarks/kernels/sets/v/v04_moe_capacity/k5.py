import torch


def custom_kernel(data):
    x, logits, w, top_k, capacity, renorm = data
    T, E = logits.shape
    order = torch.sort(logits, dim=1, descending=True, stable=True).indices[:, :top_k]
    ex = torch.exp(logits)
    gates = ex.gather(1, order)
    gates = gates / (gates.sum(1, keepdim=True) if renorm else ex.sum(1, keepdim=True))
    hot = torch.zeros(T, E, dtype=torch.int64).scatter_(1, order, 1)
    pos = hot.cumsum(0) - hot
    keep = (hot > 0) & (pos < capacity)
    mix = torch.zeros(T, E).scatter_(1, order, gates).masked_fill(~keep, 0)
    out = torch.einsum("te,td,edh->th", mix, x, w)
    return out, keep.sum(0)
