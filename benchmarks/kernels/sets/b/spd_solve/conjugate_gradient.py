import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """Conjugate gradient in float64, run until the residual is down by 1e-13."""

    @torch.no_grad()
    def forward(self, A, B):
        a, b = A.double(), B.double()
        x = torch.zeros_like(b)
        r = b.clone()
        p = r.clone()
        rr = (r * r).sum(1, keepdim=True)
        goal = rr * 1e-26
        for _ in range(200 + 20 * A.shape[-1]):
            if bool((rr <= goal).all()):
                break
            q = a @ p
            den = (p * q).sum(1, keepdim=True)
            step = torch.where(rr > goal, rr / torch.where(den == 0, torch.ones_like(den), den), torch.zeros_like(rr))
            x = x + step * p
            r = r - step * q
            new = (r * r).sum(1, keepdim=True)
            beta = torch.where(rr > 0, new / torch.where(rr == 0, torch.ones_like(rr), rr), torch.zeros_like(rr))
            p = r + beta * p
            rr = new
        return x.float()
