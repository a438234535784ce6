import torch


def custom_kernel(data):
    logits, top_k, top_p, temperature = data
    B, V = logits.shape
    x = logits.double() / temperature.double().view(-1, 1)
    xs, order = x.sort(dim=-1, descending=True, stable=True)
    k = int(top_k[0])
    if 0 < k < V:
        xs, order = xs[:, :k], order[:, :k]
    p = torch.softmax(xs, dim=-1)
    excl = torch.cumsum(p, -1) - p
    keep = (excl < top_p.double().view(-1, 1)) | (top_p.view(-1, 1) >= 1)
    keep[:, 0] = True
    p = p.where(keep, torch.zeros((), dtype=p.dtype))
    p = p / p.sum(-1, keepdim=True)
    return torch.zeros(B, V).scatter_(1, order, p.float())
