import math

import torch


def custom_kernel(data):
    params, grads, exp_avg, exp_avg_sq, step, hp = data
    lr, b1, b2, eps = hp["lr"], hp["beta1"], hp["beta2"], hp["eps"]
    sq = torch.stack([g.double().square().sum() for g in grads]).sum()
    coef = min(1.0, hp["max_norm"] / (sq.sqrt().item() + 1e-6))
    step.add_(1)
    t = int(step)
    # both bias corrections in one step size
    alpha = lr * math.sqrt(1.0 - b2**t) / (1.0 - b1**t)
    for p, g, m, v in zip(params, grads, exp_avg, exp_avg_sq):
        if p.dim() >= 2:
            p.mul_(1.0 - lr * hp["weight_decay"])
        g = g * coef
        m.add_(g - m, alpha=1.0 - b1)
        v.add_(g * g - v, alpha=1.0 - b2)
        p.addcdiv_(m, v.sqrt() + eps, value=-alpha)
    return params, exp_avg, exp_avg_sq, step
