import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, lr, beta1, beta2, eps, weight_decay, max_trust):
        super().__init__()
        self.lr, self.b1, self.b2, self.eps = lr, beta1, beta2, eps
        self.wd, self.max_trust = weight_decay, max_trust

    @torch.no_grad()
    def forward(self, p, g, m, v, step):
        """Second pass needs no stored update: |u|^2 = |a|^2 + 2 wd a.p + wd^2 |p|^2, in float64."""
        t = step.double() + 1
        P, G, M, V = (x.double() for x in (p, g, m, v))
        M = M + (1 - self.b1) * (G - M)
        V = V + (1 - self.b2) * (G * G - V)
        bc1 = -torch.expm1(t * torch.log(torch.tensor(self.b1, dtype=torch.float64)))
        bc2 = -torch.expm1(t * torch.log(torch.tensor(self.b2, dtype=torch.float64)))
        a = M / (bc1 * (torch.sqrt(V / bc2) + self.eps))
        pp, ap, aa = (P * P).sum(1), (a * P).sum(1), (a * a).sum(1)
        uu = (aa + 2 * self.wd * ap + self.wd ** 2 * pp).clamp_min(0)
        ok = (pp > 0) & (uu > 0)
        r = torch.sqrt(torch.where(ok, pp, torch.ones_like(pp)) / torch.where(ok, uu, torch.ones_like(uu)))
        k = self.lr * r.clamp(max=self.max_trust)[:, None]
        out = P * (1 - k * self.wd) - k * a
        return out.to(p.dtype), M.to(m.dtype), V.to(v.dtype)
