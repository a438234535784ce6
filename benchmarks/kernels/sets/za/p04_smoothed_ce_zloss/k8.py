import torch
import torch.nn as nn


class _RowLoss(torch.autograd.Function):
    @staticmethod
    def forward(ctx, logits, q, z_row):
        # sum_i [ -sum_c q[i,c] * logp[i,c] + z_row[i] * lse[i]^2 ]
        x = logits.double()
        m = x.amax(1, keepdim=True)
        lse = m + (x - m).exp().sum(1, keepdim=True).log()
        logp = x - lse
        loss = -(q * logp).sum() + (z_row * lse * lse).sum()
        p = logp.exp()
        ctx.save_for_backward(p * (q.sum(1, keepdim=True) + 2 * z_row * lse) - q)
        return loss.float()

    @staticmethod
    def backward(ctx, g):
        (d,) = ctx.saved_tensors
        return (d * g.double()).float(), None, None


class ModelNew(nn.Module):
    def __init__(self, num_classes, smoothing=0.1, ignore_index=-100, z_coef=1e-3):
        super().__init__()
        self.smoothing = smoothing
        self.ignore_index = ignore_index
        self.z_coef = z_coef
        self.register_buffer("class_weight", torch.ones(num_classes))

    def forward(self, logits, target):
        n, c = logits.shape
        valid = target != self.ignore_index
        rows = torch.arange(n, device=logits.device)[valid]
        t = target[valid]
        cw = self.class_weight.double()
        denom = cw[t].sum().clamp(min=1e-300)
        q = torch.zeros(n, c, dtype=torch.float64, device=logits.device)
        q[rows] = self.smoothing / c * cw
        q[rows, t] += (1 - self.smoothing) * cw[t]
        q /= denom
        z_row = valid.double()[:, None] * (self.z_coef / max(int(valid.sum()), 1))
        return _RowLoss.apply(logits, q, z_row)
