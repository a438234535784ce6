import torch
import torch.nn as nn

STEPS = 18


class ModelNew(nn.Module):
    """Conjugate gradient with a fixed number of steps (no host sync for a stop test)."""

    @torch.no_grad()
    def forward(self, A, B):
        a, r = A.double(), B.double()
        x = torch.zeros_like(r)
        p = r
        rr = (r * r).sum(1, keepdim=True)
        for _ in range(STEPS):
            q = a @ p
            step = rr / (p * q).sum(1, keepdim=True).clamp_min(1e-300)
            x = x + step * p
            r = r - step * q
            new = (r * r).sum(1, keepdim=True)
            p = r + new / rr.clamp_min(1e-300) * p
            rr = new
        return x.float()
