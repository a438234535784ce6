import math

import torch

ROWS = 24


def _update(p, g, m, v, coef, wd, hp, c1, inv_c2):
    gc = g * coef
    m.copy_(torch.addcmul(gc, m - gc, torch.tensor(hp["beta1"])))  # g + b1 (m - g)
    v.copy_(torch.lerp(gc * gc, v, hp["beta2"]))
    den = torch.sqrt(v * inv_c2).add_(hp["eps"])
    p.copy_(p - hp["lr"] * (wd * p) - (hp["lr"] / c1) * (m / den))


def custom_kernel(data):
    params, grads, exp_avg, exp_avg_sq, step, hp = data
    # the norm in a way that cannot overflow: by the largest magnitude
    big = max(float(g.abs().max()) for g in grads)
    norm = 0.0
    if big > 0.0:
        norm = big * math.sqrt(sum(float((g.double() / big).square().sum()) for g in grads))
    coef = hp["max_norm"] / (norm + 1e-6)
    coef = coef if coef < 1.0 else 1.0
    step.copy_(step + 1)
    t = int(step)
    c1 = 1.0 - math.pow(hp["beta1"], t)
    inv_c2 = 1.0 / (1.0 - math.pow(hp["beta2"], t))
    for p, g, m, v in zip(params, grads, exp_avg, exp_avg_sq):
        wd = hp["weight_decay"] if p.dim() == 2 else 0.0
        for r in range(0, p.shape[0], ROWS):
            s = slice(r, r + ROWS)
            _update(p[s], g[s], m[s], v[s], coef, wd, hp, c1, inv_c2)
    return params, exp_avg, exp_avg_sq, step
