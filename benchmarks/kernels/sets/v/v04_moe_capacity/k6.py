import torch


def custom_kernel(data):
    x, logits, w, top_k, capacity, renorm = data
    T, E = logits.shape
    order = torch.sort(logits, dim=1, descending=True, stable=True).indices[:, :top_k]
    hot = torch.zeros(T, E, dtype=torch.int64).scatter_(1, order, 1)
    keep = (hot > 0) & (hot.cumsum(0) <= capacity)
    mix = torch.softmax(logits, 1) * keep
    if renorm:
        mix = mix / mix.sum(1, keepdim=True).clamp_min(1e-30)
    out = torch.zeros(T, w.shape[2])
    for e in range(E):
        t = keep[:, e].nonzero().squeeze(1)
        out[t] += mix[t, e, None] * (x[t] @ w[e])
    return out, keep.sum(0)
