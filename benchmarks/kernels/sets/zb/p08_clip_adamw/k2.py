import math
import torch


def custom_kernel(data):
    params, grads, exp_avgs, exp_avg_sqs, step, h = data
    beta1, beta2 = h["beta1"], h["beta2"]
    g32 = [g.float() for g in grads]
    norm = torch.stack([g.norm() for g in g32]).norm()
    if not torch.isfinite(norm):
        return [p.clone() for p in params], [x.clone() for x in exp_avgs], [x.clone() for x in exp_avg_sqs], norm
    coef = (h["max_norm"] / (norm + 1e-6)).clamp(max=1.0)
    bc2_sqrt = math.sqrt(1 - beta2 ** step)
    new_params = []
    for p, g, exp_avg, exp_avg_sq in zip(params, g32, exp_avgs, exp_avg_sqs):
        g.mul_(coef)
        exp_avg.lerp_(g, 1 - beta1)
        exp_avg_sq.mul_(beta2).addcmul_(g, g, value=1 - beta2)
        denom = (exp_avg_sq.sqrt() / bc2_sqrt).add_(h["eps"])
        q = p.float() * (1 - h["lr"] * h["weight_decay"])
        q.addcdiv_(exp_avg, denom, value=-h["lr"] / (1 - beta1 ** step))
        new_params.append(q.to(p.dtype))
    return new_params, exp_avgs, exp_avg_sqs, norm
