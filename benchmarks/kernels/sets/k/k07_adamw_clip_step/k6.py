import torch
import torch.nn as nn

TILE = 4096


class ModelNew(nn.Module):
    """Flat tiles: a first pass for the norm, a second for the update."""

    def __init__(self, lr=1e-3, beta1=0.9, beta2=0.999, eps=1e-8, weight_decay=0.01, max_norm=1.0):
        super().__init__()
        self.lr, self.b1, self.b2 = lr, beta1, beta2
        self.eps, self.wd, self.max_norm = eps, weight_decay, max_norm

    @torch.no_grad()
    def forward(self, param, grad, exp_avg, exp_avg_sq, step):
        p, g, m, v = (t.reshape(-1) for t in (param, grad, exp_avg, exp_avg_sq))
        partial = [g[i:i + TILE].double().square().sum() for i in range(0, g.numel(), TILE)]
        norm = torch.stack(partial).sum().sqrt().item()
        coef = self.max_norm / (norm + 1e-6)
        if coef > 1.0:
            coef = 1.0
        t = int(step)
        c1, c2 = 1 - self.b1 ** t, 1 - self.b2 ** t
        po, mo, vo = torch.empty_like(p), torch.empty_like(m), torch.empty_like(v)
        for i in range(0, p.numel(), TILE):
            sl = slice(i, i + TILE)
            gt = g[sl] * coef
            mt = self.b1 * m[sl] + (1 - self.b1) * gt
            vt = self.b2 * v[sl] + (1 - self.b2) * gt * gt
            po[sl] = p[sl] * (1 - self.lr * self.wd) - self.lr * (mt / c1) / ((vt / c2).sqrt() + self.eps)
            mo[sl], vo[sl] = mt, vt
        return po.view(param.shape), mo.view(param.shape), vo.view(param.shape)
