import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """One program per (sample, group): two passes, then normalize and swish in one step."""

    def __init__(self, groups, channels, eps=1e-5):
        super().__init__()
        self.norm = nn.GroupNorm(groups, channels, eps=eps)

    @torch.no_grad()
    def forward(self, x):
        N, C, H, W = x.shape
        G, eps = self.norm.num_groups, self.norm.eps
        cpg = C // G
        out = torch.empty_like(x)
        for pid in range(N * G):
            n, g = divmod(pid, G)
            ch = slice(g * cpg, (g + 1) * cpg)
            t = x[n, ch].double()
            mean = t.sum() / t.numel()
            var = ((t - mean) ** 2).sum() / t.numel()
            y = (t - mean) / torch.sqrt(var + eps)
            y = y * self.norm.weight[ch].double()[:, None, None] + self.norm.bias[ch].double()[:, None, None]
            out[n, ch] = (y / (1.0 + torch.exp(-y))).float()
        return out
