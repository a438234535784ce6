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
        # y[b, c, i] = sum_j T[c, i, j] x[b, c, j]: tap k reads sample max(0, i - (K - 1 - k) d)
        pos = torch.arange(L, device=x.device)
        back = (self.kernel_size - 1 - torch.arange(self.kernel_size, device=x.device)) * self.dilation
        src = (pos[None, :] - back[:, None]).clamp_min(0)  # (K, L)
        reads = (src[:, :, None] == pos).to(x.dtype)  # (K, L, L)
        T = torch.einsum("ck,kij->cij", self.conv.weight[:, 0], reads)
        y = torch.matmul(T, x.permute(1, 2, 0))  # (C, L, B)
        y = y.reshape(C, L * B)
        if self.training:
            mean = y.mean(dim=1, keepdim=True)
            c = y - mean
            var = (c * c).mean(dim=1, keepdim=True)
            n = L * B
            with torch.no_grad():
                self.bn.num_batches_tracked.add_(1)
                self.bn.running_mean.add_(self.bn.momentum * (mean[:, 0] - self.bn.running_mean))
                unbiased = var[:, 0] * (n / (n - 1.0))
                self.bn.running_var.add_(self.bn.momentum * (unbiased - self.bn.running_var))
        else:
            c = y - self.bn.running_mean[:, None]
            var = self.bn.running_var[:, None]
        t = c / torch.sqrt(var + self.bn.eps) * self.bn.weight[:, None] + self.bn.bias[:, None]
        t = (t * torch.sigmoid(t)).view(C, L, B).permute(2, 0, 1)
        return t
