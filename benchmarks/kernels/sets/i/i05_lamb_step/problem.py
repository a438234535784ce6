import torch
import torch.nn as nn


class Model(nn.Module):
    """One LAMB step on a stack of L layers of N weights each (no gradient needed).

    p, g, m, v: (L, N) weights, gradients, first and second moments (v >= 0); step: int64 scalar
    tensor, number of steps taken before this one. Returns new (p, m, v); inputs stay as they are.
    Per layer: r = |p| / |u| if both norms are positive, else 1; r is capped at max_trust.
    """

    def __init__(self, lr, beta1, beta2, eps, weight_decay, max_trust):
        super().__init__()
        self.lr, self.b1, self.b2, self.eps = lr, beta1, beta2, eps
        self.wd, self.max_trust = weight_decay, max_trust

    @torch.no_grad()
    def forward(self, p, g, m, v, step):
        t = step + 1
        m = self.b1 * m + (1 - self.b1) * g
        v = self.b2 * v + (1 - self.b2) * g * g
        mh = m / (1 - self.b1 ** t.double()).to(m.dtype)
        vh = v / (1 - self.b2 ** t.double()).to(v.dtype)
        u = mh / (vh.sqrt() + self.eps) + self.wd * p
        pn, un = p.norm(dim=1, keepdim=True), u.norm(dim=1, keepdim=True)
        r = torch.where((pn > 0) & (un > 0), pn / un, torch.ones_like(pn))
        return p - self.lr * r.clamp(max=self.max_trust) * u, m, v


L = 6
N = 1024
LR = 2e-3
BETA1 = 0.9
BETA2 = 0.999
EPS = 1e-6
WD = 0.01
MAX_TRUST = 10.0


def get_inputs():
    return [torch.randn(L, N) * 0.05, torch.randn(L, N), torch.randn(L, N) * 0.1,
            torch.rand(L, N), torch.tensor(1000)]


def get_init_inputs():
    return [LR, BETA1, BETA2, EPS, WD, MAX_TRUST]
