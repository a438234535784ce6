import torch


def custom_kernel(data):
    params, grads, m, v, step, h = data
    shapes = [p.shape for p in params]
    counts = [p.numel() for p in params]
    flat = lambda ts: torch.cat([t.reshape(-1).float() for t in ts])
    p, g, mm, vv = flat(params), flat(grads), flat(m), flat(v)
    norm = torch.sqrt(torch.dot(g, g))
    if torch.isfinite(norm):
        g = g * torch.clamp(h["max_norm"] / (norm + 1e-6), max=1.0)
        mm = mm * h["beta1"] + g * (1 - h["beta1"])
        vv = vv * h["beta2"] + g.square() * (1 - h["beta2"])
        hat_m = mm / (1 - h["beta1"] ** step)
        hat_v = vv / (1 - h["beta2"] ** step)
        p = p - h["lr"] * h["weight_decay"] * p - h["lr"] * hat_m / (hat_v.sqrt() + h["eps"])
    un = lambda f: [c.reshape(s) for c, s in zip(f.split(counts), shapes)]
    return un(p.bfloat16()), un(mm), un(vv), norm
