import math
import torch


def generate_input(sizes: list, step: int, max_norm: float, seed: int):
    gen = torch.Generator().manual_seed(seed)
    params = [torch.randn(*s, generator=gen).mul(0.5).bfloat16() for s in sizes]
    grads = [torch.randn(*s, generator=gen).bfloat16() for s in sizes]
    m = [torch.randn(*s, generator=gen).mul(0.1) for s in sizes]
    v = [torch.rand(*s, generator=gen).mul(0.1) for s in sizes]
    hyper = {"lr": 0.01, "beta1": 0.9, "beta2": 0.95, "eps": 1e-8,
             "weight_decay": 0.1, "max_norm": max_norm}
    return params, grads, m, v, step, hyper


def ref_kernel(data):
    params, grads, m, v, step, h = data
    norm = torch.stack([g.float().pow(2).sum() for g in grads]).sum().sqrt()
    if not torch.isfinite(norm):
        return [p.clone() for p in params], [x.clone() for x in m], [x.clone() for x in v], norm
    coef = torch.clamp(h["max_norm"] / (norm + 1e-6), max=1.0)
    bc1 = 1 - h["beta1"] ** step
    bc2 = 1 - h["beta2"] ** step
    new_p, new_m, new_v = [], [], []
    for p, g, mi, vi in zip(params, grads, m, v):
        g = g.float() * coef
        mi = h["beta1"] * mi + (1 - h["beta1"]) * g
        vi = h["beta2"] * vi + (1 - h["beta2"]) * g * g
        denom = vi.sqrt() / math.sqrt(bc2) + h["eps"]
        q = p.float() * (1 - h["lr"] * h["weight_decay"]) - h["lr"] / bc1 * mi / denom
        new_p.append(q.to(p.dtype))
        new_m.append(mi)
        new_v.append(vi)
    return new_p, new_m, new_v, norm


def check_implementation(data, output):
    ref = ref_kernel(data)
    for a, b in zip(ref[0], output[0]):
        if a.dtype != b.dtype or not torch.allclose(a.float(), b.float(), rtol=1.6e-2, atol=1e-5, equal_nan=True):
            return False, "params differ"
    for i, name in ((1, "exp_avg"), (2, "exp_avg_sq")):
        for a, b in zip(ref[i], output[i]):
            if a.dtype != b.dtype or not torch.allclose(a, b, rtol=1e-4, atol=1e-7, equal_nan=True):
                return False, name + " differs"
    if not torch.allclose(ref[3], output[3].float(), rtol=1e-4, equal_nan=True):
        return False, "norm differs"
    return True, ""
