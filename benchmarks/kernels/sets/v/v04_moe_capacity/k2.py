import torch


# sort the choices by expert, grouped products, scatter back
def custom_kernel(data):
    x, logits, w, top_k, capacity, renorm = data
    T, E = logits.shape
    order = torch.argsort(-logits, dim=1, stable=True)[:, :top_k]
    gates = torch.softmax(logits, 1).gather(1, order)
    if renorm:
        gates = torch.softmax(logits.gather(1, order), 1)
    flat = order.reshape(-1)
    perm = torch.argsort(flat, stable=True)
    counts = torch.bincount(flat, minlength=E)
    offs = torch.zeros(E + 1, dtype=torch.int64)
    offs[1:] = counts.cumsum(0)
    out = torch.zeros(T, w.shape[2])
    g = gates.reshape(-1)
    for e in range(E):
        rows = perm[offs[e]:min(offs[e + 1], offs[e] + capacity)]
        if rows.numel():
            tok = rows // top_k
            out.index_add_(0, tok, (x[tok] * g[rows, None]) @ w[e])
    return out, counts.clamp(max=capacity)
