import torch


def generate_input(tokens: int, dim: int, hidden: int, experts: int, top_k: int, capacity: int, renorm: bool,
                   logit_scale: float, levels: int, skew: float, seed: int):
    gen = torch.Generator().manual_seed(seed)
    x = torch.randn(tokens, dim, generator=gen)
    w = torch.randn(experts, dim, hidden, generator=gen) / dim ** 0.5
    logits = torch.randn(tokens, experts, generator=gen) - skew * torch.arange(experts).float()
    logits = logits * logit_scale
    if levels > 0:  # a router of low precision: few different values
        logits = torch.round(logits * levels) / levels
    return x, logits, w, top_k, capacity, renorm


def ref_kernel(data):
    x, logits, w, top_k, capacity, renorm = data
    tokens, experts = logits.shape
    probs = torch.softmax(logits.double(), 1)
    order = torch.sort(logits, dim=1, descending=True, stable=True).indices[:, :top_k]
    gates = probs.gather(1, order)
    if renorm:
        gates = gates / gates.sum(1, keepdim=True)
    out = torch.zeros(tokens, w.shape[2], dtype=torch.float64)
    counts = torch.zeros(experts, dtype=torch.int64)
    for e in range(experts):
        t, k = (order == e).nonzero(as_tuple=True)
        t, k = t[:capacity], k[:capacity]
        counts[e] = len(t)
        if len(t):
            out[t] += gates[t, k][:, None] * (x[t].double() @ w[e].double())
    return out.float(), counts
