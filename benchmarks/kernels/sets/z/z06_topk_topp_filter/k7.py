import torch


def custom_kernel(data):
    logits, top_k, top_p, temperature = data
    B, V = logits.shape
    logits.div_(temperature[:, None])
    xs, order = torch.sort(logits, dim=1, descending=True, stable=True)
    ranks = torch.arange(V)
    k = torch.where(top_k == 0, V, top_k)
    xs = xs.double().masked_fill(ranks[None] >= k[:, None], float("-inf"))
    p = torch.softmax(xs, 1)
    cut = (p.cumsum(1) - p) >= top_p.double()[:, None]
    cut &= (top_p < 1)[:, None] & (ranks > 0)[None]
    p = p.masked_fill(cut, 0)
    p = p / p.sum(1, keepdim=True)
    out = torch.zeros(B, V)
    out.scatter_(1, order, p.float())
    return out
