import math
import torch


def custom_kernel(data):
    params, grads, m, v, step, h = data
    b1, b2, lr, eps = h["beta1"], h["beta2"], h["lr"], h["eps"]
    g32 = [g.to(torch.float32) for g in grads]
    norm = torch.cat([g.flatten() for g in g32]).square().sum().sqrt()
    coef = torch.clamp(h["max_norm"] / (norm + 1e-6), max=1.0)
    bias1 = 1 - b1 ** step
    bias2 = math.sqrt(1 - b2 ** step)
    outs = ([], [], [])
    for p, g, a, s in zip(params, g32, m, v):
        g = g * coef
        a = b1 * a + (1 - b1) * g
        s = b2 * s + (1 - b2) * g.square()
        q = p.float() * (1 - lr * h["weight_decay"]) - lr / bias1 * (a / (s.sqrt() / bias2 + eps))
        outs[0].append(q.to(p.dtype))
        outs[1].append(a)
        outs[2].append(s)
    return outs[0], outs[1], outs[2], norm
