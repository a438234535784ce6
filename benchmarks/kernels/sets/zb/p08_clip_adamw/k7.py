import math
import torch


def custom_kernel(data):
    params, grads, m, v, step, h = data
    norm = torch.stack([torch.linalg.vector_norm(g) for g in grads]).float().square().sum().sqrt()
    if not torch.isfinite(norm):
        return [p.clone() for p in params], [x.clone() for x in m], [x.clone() for x in v], norm
    coef = torch.clamp(h["max_norm"] / (norm + 1e-6), max=1.0)
    b1, b2 = h["beta1"], h["beta2"]
    new_p, new_m, new_v = [], [], []
    for p, g, a, s in zip(params, grads, m, v):
        g = g.float().mul_(coef)
        a = a * b1 + g * (1 - b1)
        s = s * b2 + g * g * (1 - b2)
        den = s.sqrt() / math.sqrt(1 - b2 ** step) + h["eps"]
        q = p.float() * (1 - h["lr"] * h["weight_decay"]) - (h["lr"] / (1 - b1 ** step)) * (a / den)
        new_p.append(q.bfloat16())
        new_m.append(a)
        new_v.append(s)
    return new_p, new_m, new_v, norm
