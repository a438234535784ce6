import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """The normalized values are staged in half, as in shared memory."""

    def __init__(self, groups, channels, eps=1e-5):
        super().__init__()
        self.norm = nn.GroupNorm(groups, channels, eps=eps)

    @torch.no_grad()
    def forward(self, x):
        N, C, H, W = x.shape
        G = self.norm.num_groups
        t = x.reshape(N, G, -1)
        c = t - t.mean(2, keepdim=True)
        stage = (c * torch.rsqrt(c.square().mean(2, keepdim=True) + self.norm.eps)).half()
        y = stage.float().reshape(N, C, H, W)
        y = y * self.norm.weight[:, None, None] + self.norm.bias[:, None, None]
        return y * torch.sigmoid(y)
