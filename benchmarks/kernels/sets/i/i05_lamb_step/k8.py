import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, lr, beta1, beta2, eps, weight_decay, max_trust):
        super().__init__()
        self.lr, self.b1, self.b2, self.eps = lr, beta1, beta2, eps
        self.wd, self.max_trust = weight_decay, max_trust

    @torch.no_grad()
    def forward(self, p, g, m, v, step):
        t = step.item() + 1
        m.mul_(self.b1).add_(g, alpha=1 - self.b1)
        v.mul_(self.b2).addcmul_(g, g, value=1 - self.b2)
        u = (m / (1 - self.b1 ** t)).div_((v / (1 - self.b2 ** t)).sqrt_().add_(self.eps)).add_(p, alpha=self.wd)
        w, n = torch.linalg.vector_norm(p, dim=1), torch.linalg.vector_norm(u, dim=1)
        r = torch.where(w.gt(0) & n.gt(0), w / n, 1.0).clamp(max=self.max_trust)
        return p - (self.lr * r)[:, None] * u, m, v
