import torch


def custom_kernel(data):
    logits, top_k, top_p, temperature = data
    B, V = logits.shape
    probs = torch.softmax(logits.double() / temperature.double()[:, None], dim=-1)
    sp, idx = probs.sort(dim=-1, descending=True, stable=True)
    pos = torch.arange(V).expand(B, V)
    limit = torch.where(top_k == 0, V, top_k)
    mass = sp.cumsum(-1) - sp
    keep = (pos < limit[:, None]) & ((mass < top_p[:, None].double()) | (top_p[:, None] >= 1.0))
    keep[:, 0] = True
    sp = sp * keep
    sp = sp / sp.sum(-1, keepdim=True)
    return torch.empty_like(sp).scatter_(1, idx, sp).to(torch.float32)
