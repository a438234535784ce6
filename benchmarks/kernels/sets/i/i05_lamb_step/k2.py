import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, lr, beta1, beta2, eps, weight_decay, max_trust):
        super().__init__()
        self.lr, self.b1, self.b2, self.eps = lr, beta1, beta2, eps
        self.wd, self.max_trust = weight_decay, max_trust

    @torch.no_grad()
    def forward(self, p, g, m, v, step):
        t = int(step) + 1
        c1, c2 = 1.0 - self.b1 ** t, (1.0 - self.b2 ** t) ** 0.5
        m = torch.lerp(m, g, 1.0 - self.b1)
        v = torch.addcmul(v * self.b2, g, g, value=1.0 - self.b2)
        # m_hat / (sqrt(v_hat) + eps) with both corrections pulled out as one factor
        u = torch.addcdiv(p * self.wd, m, v.sqrt().add_(self.eps * c2), value=c2 / c1)
        pn = p.square().sum(1, keepdim=True).sqrt()
        un = u.square().sum(1, keepdim=True).sqrt()
        r = (pn / un).masked_fill((pn == 0) | (un == 0), 1.0).clamp_max(self.max_trust)
        return torch.addcmul(p, u, r, value=-self.lr), m, v
