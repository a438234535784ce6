import torch


def custom_kernel(data):
    logits, top_k, top_p, temperature = data
    x = logits / temperature.unsqueeze(1)
    V = x.shape[1]
    xs = torch.sort(x, dim=1, descending=True).values
    k = torch.where(top_k > 0, top_k.clamp(max=V), V)
    kth = xs.gather(1, (k - 1).unsqueeze(1))
    x = x.masked_fill(x < kth, float("-inf"))
    xs, order = torch.sort(x, dim=1, descending=True, stable=True)
    p = torch.softmax(xs.double(), 1)
    drop = (p.cumsum(1) - p >= top_p.double().unsqueeze(1)) & (top_p < 1).unsqueeze(1)
    drop[:, 0] = False
    p = p.masked_fill(drop, 0.0)
    p /= p.sum(1, keepdim=True)
    out = torch.zeros_like(p)
    out.scatter_(1, order, p)
    return out.float()
