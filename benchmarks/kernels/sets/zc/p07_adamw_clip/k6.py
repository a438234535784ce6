import math

import torch


def custom_kernel(data):
    params, grads, exp_avg, exp_avg_sq, step, hp = data
    norm = math.sqrt(sum(float(torch.sum(g.double() * g.double())) for g in grads))
    if norm + 1e-6 > hp["max_norm"]:
        torch._foreach_mul_(grads, hp["max_norm"] / (norm + 1e-6))
    step.add_(1)
    t = int(step)
    a = hp["lr"] / (1.0 - hp["beta1"] ** t)
    r = 1.0 / math.sqrt(1.0 - hp["beta2"] ** t)
    for p, g, m, v in zip(params, grads, exp_avg, exp_avg_sq):
        m.lerp_(g, 1.0 - hp["beta1"])
        v.lerp_(g * g, 1.0 - hp["beta2"])
        if p.dim() >= 2:
            p.mul_(1.0 - hp["lr"] * hp["weight_decay"])
        p.sub_(a * m / (torch.sqrt(v) * r + hp["eps"]))
    return params, exp_avg, exp_avg_sq, step
