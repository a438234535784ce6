import math
import torch


def custom_kernel(data):
    params, grads, m, v, step, h = data
    b1, b2, lr = h["beta1"], h["beta2"], h["lr"]
    sq = 0.0
    for g in grads:
        sq = sq + g.float().square().sum()
    norm = torch.sqrt(sq)
    if not bool(torch.isfinite(norm)):
        return ([t.clone() for t in params], [t.clone() for t in m], [t.clone() for t in v], norm)
    coef = h["max_norm"] / (norm + 1e-6)
    step_size = lr / (1 - b1 ** step)
    rbc2 = math.sqrt(1 - b2 ** step)
    out_p, out_m, out_v = [], [], []
    for p, g, a, s in zip(params, grads, m, v):
        g = g.float() * coef
        a = torch.lerp(a, g, 1 - b1)
        s = torch.addcmul(s * b2, g, g, value=1 - b2)
        q = p.float().mul_(1 - lr * h["weight_decay"])
        q.addcdiv_(a, s.sqrt().div_(rbc2).add_(h["eps"]), value=-step_size)
        out_p.append(q.to(torch.bfloat16))
        out_m.append(a)
        out_v.append(s)
    return out_p, out_m, out_v, norm
