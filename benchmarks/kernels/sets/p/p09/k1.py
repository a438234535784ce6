"""Masked batch norm: Chan merge of per-sample moments, then one scale-and-shift per channel."""
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, num_features: int, eps: float = 1e-5, momentum: float = 0.1):
        super().__init__()
        self.eps = eps
        self.momentum = momentum
        self.weight = nn.Parameter(torch.ones(num_features))
        self.bias = nn.Parameter(torch.zeros(num_features))
        self.register_buffer("running_mean", torch.zeros(num_features))
        self.register_buffer("running_var", torch.ones(num_features))
        self.register_buffer("num_batches_tracked", torch.tensor(0, dtype=torch.long))

    def _moments(self, xv, mask):
        cnt = mask.sum(1).to(xv.dtype)                               # (B,)
        safe = cnt.clamp(min=1.0)[:, None]
        mean_b = xv.sum(1) / safe
        dev = torch.where(mask[..., None], xv - mean_b[:, None], xv.new_zeros(()))
        m2_b = dev.square().sum(1)
        n = xv.new_zeros(())
        mean = xv.new_zeros(xv.shape[-1])
        m2 = xv.new_zeros(xv.shape[-1])
        for i in range(xv.shape[0]):
            tot = n + cnt[i]
            w = cnt[i] / tot.clamp(min=1.0)
            d = mean_b[i] - mean
            mean = mean + d * w
            m2 = m2 + m2_b[i] + d * d * (n * w)
            n = tot
        return n, mean, m2

    def forward(self, x, mask):
        keep = mask[..., None]
        xv = torch.where(keep, x, x.new_zeros(()))
        if self.training:
            n, mean, m2 = self._moments(xv, mask)
            count = int(mask.sum())
            var = m2 / max(count, 1)
            if count:
                with torch.no_grad():
                    k = self.momentum
                    self.running_mean.mul_(1 - k).add_(mean, alpha=k)
                    self.running_var.mul_(1 - k).add_(m2 / max(count - 1, 1), alpha=k)
                    self.num_batches_tracked.add_(1)
        else:
            mean, var = self.running_mean, self.running_var
        scale = self.weight * torch.rsqrt(var + self.eps)
        y = (xv - mean) * scale + self.bias
        return torch.where(keep, y, y.new_zeros(()))
