import math
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, hidden: int, vocab: int, softcap: float, smoothing: float, z_weight: float):
        super().__init__()
        self.softcap = softcap
        self.smoothing = smoothing
        self.z_weight = z_weight
        self.weight = nn.Parameter(torch.randn(vocab, hidden) * hidden**-0.5)

    def forward(self, h, target):
        cap, eps = self.softcap, self.smoothing
        keep = (target != -100).to(h.dtype)
        safe = target.clamp(min=0)
        raw = torch.einsum("nh,vh->nv", h, self.weight)
        z = torch.tanh(raw / cap).mul(cap)
        # |z| <= cap, so exp(z - cap) cannot overflow; a fixed shift instead of the maximum would
        # underflow for a large cap, therefore the real one
        shift = z.detach().max(dim=1).values
        lse = shift + torch.exp(z - shift[:, None]).sum(dim=1).log()
        hit = cap * torch.tanh((h * self.weight[safe]).sum(dim=1) / cap)
        smooth = z.sum(dim=1) / z.shape[1]
        per = lse - torch.lerp(hit, smooth, eps) + self.z_weight * lse.pow(2)
        return torch.dot(per, keep) / keep.sum().clamp(min=1.0)
