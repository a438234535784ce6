import torch


def custom_kernel(data):
    # no sort: a token's rank is the number of tokens in front of it, and so is the mass
    logits, top_k, top_p, temperature = data
    B, V = logits.shape
    out = torch.zeros(B, V, dtype=torch.float32)
    idx = torch.arange(V)
    for b in range(B):
        x = logits[b].double() / float(temperature[b])
        ahead = (x[None, :] > x[:, None]) | ((x[None, :] == x[:, None]) & (idx[None, :] < idx[:, None]))
        rank = ahead.sum(1)
        k = int(top_k[b]) or V
        kept = rank < k
        e = torch.where(kept, torch.exp(x - x.max()), 0.0)
        e = e / e.sum()
        if float(top_p[b]) < 1.0:
            mass = ahead.double() @ e
            kept = kept & ((mass < float(top_p[b])) | (rank == 0))
            e = torch.where(kept, e, 0.0)
            e = e / e.sum()
        out[b] = e.float()
    return out
