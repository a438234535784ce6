import math
import torch


def custom_kernel(data):
    params, grads, m, v, step, h = data
    g32 = [g.float() for g in grads]
    norm = torch.linalg.vector_norm(torch.stack([torch.linalg.vector_norm(g) for g in g32]))
    if not math.isfinite(norm.item()):
        return [p.clone() for p in params], [t.clone() for t in m], [t.clone() for t in v], norm
    coef = min(1.0, h["max_norm"] / (norm.item() + 1e-6))
    torch._foreach_mul_(g32, coef)
    b1, b2 = h["beta1"], h["beta2"]
    nm = torch._foreach_mul(m, b1)
    torch._foreach_add_(nm, g32, alpha=1 - b1)
    nv = torch._foreach_mul(v, b2)
    torch._foreach_addcmul_(nv, g32, g32, value=1 - b2)
    den = torch._foreach_sqrt(nv)
    torch._foreach_div_(den, math.sqrt(1 - b2 ** step))
    torch._foreach_add_(den, h["eps"])
    p32 = [p.float() for p in params]
    torch._foreach_mul_(p32, 1 - h["lr"] * h["weight_decay"])
    torch._foreach_addcdiv_(p32, nm, den, value=-h["lr"] / (1 - b1 ** step))
    return [p.bfloat16() for p in p32], nm, nv, norm
