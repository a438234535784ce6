import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, channels: int, kernel_size: int, dilation: int):
        super().__init__()
        self.kernel_size = kernel_size
        self.dilation = dilation
        self.pad = (kernel_size - 1) * dilation
        self.conv = nn.Conv1d(channels, channels, kernel_size, dilation=dilation, groups=channels, bias=False)
        self.bn = nn.BatchNorm1d(channels)

    def forward(self, x):
        B, C, L = x.shape
        K, d = self.kernel_size, self.dilation
        xp = F.pad(x, (self.pad, 0), mode="replicate")
        cols = xp.unfold(2, self.pad + 1, 1)[..., ::d]  # (B, C, L, K)
        y = torch.einsum("bclk,ck->bcl", cols, self.conv.weight[:, 0])
        if self.training:
            # per sample first, then merged (Chan et al.)
            m_i = y.mean(dim=2)  # (B, C)
            s_i = (y - m_i[..., None]).square().sum(dim=2)
            mean = m_i.mean(dim=0)
            m2 = s_i.sum(dim=0) + L * (m_i - mean).square().sum(dim=0)
            var = m2 / (B * L)
            with torch.no_grad():
                mom = self.bn.momentum
                self.bn.running_mean.mul_(1 - mom).add_(mean, alpha=mom)
                self.bn.running_var.mul_(1 - mom).add_(m2 / (B * L - 1), alpha=mom)
                self.bn.num_batches_tracked += 1
        else:
            mean = self.bn.running_mean
            var = self.bn.running_var
        inv = 1.0 / torch.sqrt(var + self.bn.eps)
        t = (y - mean[:, None]) * inv[:, None]
        t = t * self.bn.weight[:, None] + self.bn.bias[:, None]
        return t / (1.0 + torch.exp(-t)) if not torch.is_grad_enabled() else t * t.sigmoid()
