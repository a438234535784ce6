import math
import torch


def custom_kernel(data):
    params, grads, m, v, step, h = data
    b1, b2 = h["beta1"], h["beta2"]
    norm = torch.sqrt(sum(torch.sum(g.float() ** 2) for g in grads))
    if not torch.isfinite(norm).item():
        copy = lambda ts: [t.clone() for t in ts]
        return copy(params), copy(m), copy(v), norm
    coef = torch.minimum(h["max_norm"] / (norm + 1e-6), torch.ones(()))
    r2 = math.sqrt(1 - b2 ** step)
    scale = -h["lr"] * r2 / (1 - b1 ** step)
    res = []
    for p, g, mi, vi in zip(params, grads, m, v):
        g = g.float() * coef
        nm = torch.lerp(mi, g, 1 - b1)
        nv = vi + (g * g - vi) * (1 - b2)
        den = nv.sqrt() + h["eps"] * r2
        q = torch.addcdiv(p.float() * (1 - h["lr"] * h["weight_decay"]), nm, den, value=scale)
        res.append((q.bfloat16(), nm, nv))
    return [r[0] for r in res], [r[1] for r in res], [r[2] for r in res], norm
