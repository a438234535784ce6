import math

import torch

CHUNK = 1024


def custom_kernel(data):
    """Multi-tensor apply: every tensor is walked through in flat chunks."""
    params, grads, exp_avg, exp_avg_sq, step, hp = data
    lr, b1, b2, eps = hp["lr"], hp["beta1"], hp["beta2"], hp["eps"]
    total = 0.0
    for g in grads:
        total += g.double().pow(2).sum().item()
    coef = min(1.0, hp["max_norm"] / (math.sqrt(total) + 1e-6))
    step.add_(1)
    t = int(step)
    c1, c2 = 1.0 - b1**t, 1.0 - b2**t
    for p, g, m, v in zip(params, grads, exp_avg, exp_avg_sq):
        wd = hp["weight_decay"] if p.dim() >= 2 else 0.0
        pf, gf, mf, vf = p.reshape(-1), g.reshape(-1), m.reshape(-1), v.reshape(-1)
        for s in range(0, pf.numel(), CHUNK):
            pc, mc, vc = pf[s : s + CHUNK], mf[s : s + CHUNK], vf[s : s + CHUNK]
            gc = gf[s : s + CHUNK] * coef
            mc.mul_(b1).add_(gc, alpha=1.0 - b1)
            vc.mul_(b2).addcmul_(gc, gc, value=1.0 - b2)
            upd = (mc / c1) / ((vc / c2).sqrt() + eps)
            pc.mul_(1.0 - lr * wd).sub_(upd, alpha=lr)
    return params, exp_avg, exp_avg_sq, step
