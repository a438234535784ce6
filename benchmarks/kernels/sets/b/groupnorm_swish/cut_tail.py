import torch
import torch.nn as nn

CUT = -14.0


class ModelNew(nn.Module):
    """Skips the exponential where the swish has died out."""

    def __init__(self, groups, channels, eps=1e-5):
        super().__init__()
        self.norm = nn.GroupNorm(groups, channels, eps=eps)

    @torch.no_grad()
    def forward(self, x):
        N, C, H, W = x.shape
        G = self.norm.num_groups
        out = torch.zeros(N, C, H * W)
        for n in range(N):
            t = x[n].reshape(G, -1).double()
            c = t - t.mean(1, keepdim=True)
            y = c * (c.square().mean(1, keepdim=True) + self.norm.eps).rsqrt()
            y = y.float().reshape(C, -1) * self.norm.weight[:, None] + self.norm.bias[:, None]
            live = y > CUT
            yl = y[live]
            out[n][live] = yl / (1.0 + torch.exp(-yl))
        return out.view(N, C, H, W)
