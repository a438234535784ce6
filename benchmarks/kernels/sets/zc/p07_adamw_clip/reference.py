import math

import torch


def generate_input(tensors: int, rows: int, cols: int, grad_scale: float, max_norm: float, step: int, transposed: bool, seed: int):
    gen = torch.Generator().manual_seed(seed)
    params, grads, exp_avg, exp_avg_sq = [], [], [], []
    for n in range(tensors):
        if n % 3 == 2:
            shape = (cols + n,)
        else:
            shape = (rows + n, cols)
        p = torch.randn(shape, generator=gen)
        g = torch.randn(shape, generator=gen) * grad_scale
        m = torch.randn(shape, generator=gen) * 0.1 * grad_scale if step > 0 else torch.zeros(shape)
        v = torch.rand(shape, generator=gen) * grad_scale**2 if step > 0 else torch.zeros(shape)
        if transposed and len(shape) == 2:
            p, g, m, v = (t.t().contiguous().t() for t in (p, g, m, v))
        params.append(p)
        grads.append(g)
        exp_avg.append(m)
        exp_avg_sq.append(v)
    step_t = torch.tensor(step, dtype=torch.int64)
    hyper = {"lr": 1e-3, "beta1": 0.9, "beta2": 0.95, "eps": 1e-8, "weight_decay": 0.1, "max_norm": max_norm}
    return params, grads, exp_avg, exp_avg_sq, step_t, hyper


def ref_kernel(data):
    params, grads, exp_avg, exp_avg_sq, step, hp = data
    norm = torch.sqrt(sum(g.double().square().sum() for g in grads))
    coef = min(1.0, hp["max_norm"] / (float(norm) + 1e-6))
    step.add_(1)
    t = int(step)
    c1 = 1.0 - hp["beta1"] ** t
    c2 = 1.0 - hp["beta2"] ** t
    for p, g, m, v in zip(params, grads, exp_avg, exp_avg_sq):
        g = g * coef
        if p.dim() >= 2:
            p.mul_(1.0 - hp["lr"] * hp["weight_decay"])
        m.mul_(hp["beta1"]).add_(g, alpha=1.0 - hp["beta1"])
        v.mul_(hp["beta2"]).addcmul_(g, g, value=1.0 - hp["beta2"])
        p.sub_(hp["lr"] * (m / c1) / (torch.sqrt(v) / math.sqrt(c2) + hp["eps"]))
    return params, exp_avg, exp_avg_sq, step
