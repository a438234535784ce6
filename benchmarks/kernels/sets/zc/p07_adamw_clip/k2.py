import torch


def custom_kernel(data):
    """All tensors in one flat vector, one update, copied back."""
    params, grads, exp_avg, exp_avg_sq, step, hp = data
    sizes = [p.numel() for p in params]
    flat = lambda ts: torch.cat([t.reshape(-1) for t in ts])
    P, G, M, V = flat(params), flat(grads), flat(exp_avg), flat(exp_avg_sq)
    decay = torch.cat([torch.full((n,), hp["weight_decay"] if p.dim() > 1 else 0.0) for n, p in zip(sizes, params)])
    norm = G.to(torch.float64).norm()
    coef = torch.clamp(hp["max_norm"] / (norm + 1e-6), max=1.0).to(torch.float32)
    G = G * coef
    step.add_(1)
    t = step.item()
    P = P * (1.0 - hp["lr"] * decay)
    M = hp["beta1"] * M + (1.0 - hp["beta1"]) * G
    V = hp["beta2"] * V + (1.0 - hp["beta2"]) * (G * G)
    mhat = M / (1.0 - hp["beta1"] ** t)
    vhat = V / (1.0 - hp["beta2"] ** t)
    P = P - hp["lr"] * mhat / (torch.sqrt(vhat) + hp["eps"])
    for old, new in ((params, P), (exp_avg, M), (exp_avg_sq, V)):
        for dst, src in zip(old, torch.split(new, sizes)):
            dst.copy_(src.view(dst.shape))
    return params, exp_avg, exp_avg_sq, step
