import math

import torch


def custom_kernel(data):
    params, grads, exp_avg, exp_avg_sq, step, hp = data
    lr, b1, b2, eps = hp["lr"], hp["beta1"], hp["beta2"], hp["eps"]
    step += 1
    t = step.item()
    step_size = lr / (1.0 - b1**t)
    root = math.sqrt(1.0 - b2**t)
    for p, g, m, v in zip(params, grads, exp_avg, exp_avg_sq):
        norm = torch.linalg.vector_norm(g, dtype=torch.float64).item()
        coef = min(1.0, hp["max_norm"] / (norm + 1e-6))
        gc = g * coef
        m.lerp_(gc, 1.0 - b1)
        v.mul_(b2).addcmul_(gc, gc, value=1.0 - b2)
        if p.ndim == 2:
            p.mul_(1.0 - lr * hp["weight_decay"])
        p.addcdiv_(m, v.sqrt().div_(root).add_(eps), value=-step_size)
    return params, exp_avg, exp_avg_sq, step
