import torch
import torch.nn as nn

BLOCK = 64


class ModelNew(nn.Module):
    """Blocked statistics merged with Chan's formula, then one elementwise pass."""

    def __init__(self, channels, eps):
        super().__init__()
        self.norm = nn.InstanceNorm2d(channels, eps=eps, affine=True)
        self.eps = eps

    def forward(self, x, skip):
        n, c, h, w = x.shape
        xf = x.reshape(n * c, h * w)
        L = h * w
        cnt = 0
        mean = None
        m2 = None
        for s in range(0, L, BLOCK):
            t = xf[:, s:min(s + BLOCK, L)]
            k = t.shape[1]
            tm = t.mean(1, keepdim=True)
            tv = (t - tm).square().sum(1, keepdim=True)
            if mean is None:
                mean, m2, cnt = tm, tv, k
            else:
                tot = cnt + k
                delta = tm - mean
                mean = mean + delta * (k / tot)
                m2 = m2 + tv + delta * delta * (cnt * k / tot)
                cnt = tot
        rstd = 1.0 / torch.sqrt(m2 / cnt + self.eps)
        xh = ((xf - mean) * rstd).view(n, c, h, w)
        y = xh * self.norm.weight[None, :, None, None] + self.norm.bias[None, :, None, None]
        return nn.functional.hardtanh(y + skip, 0.0, 6.0)
