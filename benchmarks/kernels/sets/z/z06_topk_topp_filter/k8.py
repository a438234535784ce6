import torch


def custom_kernel(data):
    """Select in blocks: take the best tokens 32 at a time until the row's budget is used up."""
    logits, top_k, top_p, temperature = data
    B, V = logits.shape
    out = torch.zeros((B, V))
    for b in range(B):
        x = logits[b].to(torch.float64) / temperature[b].to(torch.float64)
        k = int(top_k[b])
        order = torch.argsort(-x, stable=True)
        if k:
            order = order[:k]
        w = torch.exp(x[order] - x[order[0]])
        budget = float(top_p[b]) * float(w.sum())
        n = order.numel()
        if float(top_p[b]) < 1.0:
            used, n = 0.0, 0
            for a in range(0, order.numel(), 32):
                c = used + torch.cumsum(w[a:a + 32], 0)
                before = torch.cat((c.new_tensor([used]), c[:-1]))
                here = int((before < budget).sum())
                n += here
                used = float(c[-1])
                if here < before.numel():
                    break
            n = max(n, 1)
        out[b, order[:n]] = (w[:n] / w[:n].sum()).float()
    return out
