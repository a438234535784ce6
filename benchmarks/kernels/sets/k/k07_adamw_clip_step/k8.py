import numpy as np
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """The whole step in NumPy double precision, rounded once at the end."""

    def __init__(self, lr=1e-3, beta1=0.9, beta2=0.999, eps=1e-8, weight_decay=0.01, max_norm=1.0):
        super().__init__()
        self.h = dict(lr=lr, b1=beta1, b2=beta2, eps=eps, wd=weight_decay, mx=max_norm)

    @torch.no_grad()
    def forward(self, param, grad, exp_avg, exp_avg_sq, step):
        h = self.h
        p, g, m, v = (t.detach().cpu().numpy().astype(np.float64)
                      for t in (param, grad, exp_avg, exp_avg_sq))
        norm = np.sqrt(np.sum(g * g))
        g = g * np.minimum(h["mx"] / (norm + 1e-6), 1.0)
        m = m * h["b1"] + (1.0 - h["b1"]) * g
        v = v * h["b2"] + (1.0 - h["b2"]) * (g * g)
        t = float(step)
        denom = np.sqrt(v) / np.sqrt(1.0 - h["b2"] ** t) + h["eps"]
        p = p - h["lr"] * h["wd"] * p - (h["lr"] / (1.0 - h["b1"] ** t)) * m / denom
        return tuple(torch.from_numpy(a).to(param.dtype) for a in (p, m, v))
