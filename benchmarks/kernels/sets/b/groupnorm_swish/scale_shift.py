import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """Folds statistics and affine into one scale and shift per channel (float64), tanh-form sigmoid."""

    def __init__(self, groups, channels, eps=1e-5):
        super().__init__()
        self.norm = nn.GroupNorm(groups, channels, eps=eps)

    @torch.no_grad()
    def forward(self, x):
        N, C, H, W = x.shape
        G = self.norm.num_groups
        t = x.double().reshape(N, G, -1)
        mean = t.mean(2)
        rstd = (t - mean[..., None]).square().mean(2).add(self.norm.eps).rsqrt()
        cpg = C // G
        scale = rstd.repeat_interleave(cpg, 1) * self.norm.weight.double()
        shift = self.norm.bias.double() - mean.repeat_interleave(cpg, 1) * scale
        out = torch.empty_like(x)
        for h in range(0, H, 4):
            y = x[:, :, h:h + 4].double() * scale[:, :, None, None] + shift[:, :, None, None]
            s = torch.where(y >= 0, 1.0 / (1.0 + torch.exp(-y.abs())), torch.exp(-y.abs()) / (1.0 + torch.exp(-y.abs())))
            out[:, :, h:h + 4] = (y * s).float()
        return out
