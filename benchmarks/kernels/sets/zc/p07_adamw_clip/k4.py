import math

import torch


def custom_kernel(data):
    params, grads, exp_avg, exp_avg_sq, step, hp = data
    b1, b2 = hp["beta1"], hp["beta2"]
    norms = torch.stack([torch.linalg.vector_norm(g, dtype=torch.float64) for g in grads])
    norm = torch.linalg.vector_norm(norms).item()
    coef = min(1.0, hp["max_norm"] / (norm + 1e-6))
    g = torch._foreach_mul(grads, coef)
    step += 1
    t = step.item()
    matrices = [p for p in params if p.dim() == 2]
    if matrices:
        torch._foreach_mul_(matrices, 1.0 - hp["lr"] * hp["weight_decay"])
    torch._foreach_lerp_(exp_avg, g, 1.0 - b1)
    torch._foreach_mul_(exp_avg_sq, b2)
    torch._foreach_addcmul_(exp_avg_sq, g, g, 1.0 - b2)
    # lr m / c1 / (sqrt(v) / sqrt(c2) + eps) = (lr sqrt(c2) / c1) m / (sqrt(v) + eps sqrt(c2))
    r2 = math.sqrt(1.0 - b2**t)
    den = torch._foreach_sqrt(exp_avg_sq)
    torch._foreach_add_(den, hp["eps"] * r2)
    torch._foreach_addcdiv_(params, exp_avg, den, -hp["lr"] * r2 / (1.0 - b1**t))
    return params, exp_avg, exp_avg_sq, step
