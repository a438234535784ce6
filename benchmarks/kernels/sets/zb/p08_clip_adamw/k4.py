import torch


def custom_kernel(data):
    params, grads, m, v, step, h = data
    total = torch.zeros(())
    for g in grads:
        gf = g.float()
        total += (gf * gf).sum()
    norm = total.sqrt()
    if not torch.isfinite(norm):
        return [p.clone() for p in params], [x.clone() for x in m], [x.clone() for x in v], norm
    coef = torch.clamp(h["max_norm"] / (norm + 1e-6), max=1.0)
    c1 = 1.0 - h["beta1"] ** step
    c2 = 1.0 - h["beta2"] ** step
    P, M, V = [], [], []
    for i in range(len(params)):
        g = grads[i].float() * coef
        mi = m[i] * h["beta1"] + g * (1.0 - h["beta1"])
        vi = v[i] * h["beta2"] + g * g * (1.0 - h["beta2"])
        upd = (mi / c1) * torch.rsqrt(vi / c2 + h["eps"])
        w = params[i].float()
        w = w - h["lr"] * (upd + h["weight_decay"] * w)
        P.append(w.to(params[i].dtype))
        M.append(mi)
        V.append(vi)
    return P, M, V, norm
