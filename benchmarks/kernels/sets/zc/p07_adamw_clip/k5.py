import math

import numpy as np
import torch


def custom_kernel(data):
    """Element-wise in float64 on the tensors' own memory, rounded once when stored."""
    params, grads, exp_avg, exp_avg_sq, step, hp = data
    total = math.fsum(float(np.square(g.numpy().astype(np.float64)).sum()) for g in grads)
    coef = min(1.0, hp["max_norm"] / (math.sqrt(total) + 1e-6))
    step.fill_(int(step) + 1)
    t = int(step)
    c1 = 1.0 - hp["beta1"] ** t
    c2 = 1.0 - hp["beta2"] ** t
    for p, g, m, v in zip(params, grads, exp_avg, exp_avg_sq):
        P, M, V = p.numpy(), m.numpy(), v.numpy()
        G = g.numpy().astype(np.float64) * coef
        m64 = hp["beta1"] * M.astype(np.float64) + (1.0 - hp["beta1"]) * G
        v64 = hp["beta2"] * V.astype(np.float64) + (1.0 - hp["beta2"]) * G * G
        p64 = P.astype(np.float64)
        if p.dim() == 2:
            p64 = p64 * (1.0 - hp["lr"] * hp["weight_decay"])
        p64 -= hp["lr"] * (m64 / c1) / (np.sqrt(v64 / c2) + hp["eps"])
        M[...] = m64
        V[...] = v64
        P[...] = p64
    return params, exp_avg, exp_avg_sq, step
