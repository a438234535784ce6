import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """The warp as one sparse matrix: rows are output pixels, four entries a row, duplicates
    outside the image collected in an extra zero pixel."""

    def __init__(self, scale: float):
        super().__init__()
        self.theta = nn.Parameter(torch.tensor([[scale, 0.03171, 0.21374], [-0.04129, scale - 0.01733, -0.13297]]))

    def forward(self, img):
        B, C, H, W = img.shape
        yy, xx = torch.meshgrid(torch.arange(H, dtype=img.dtype), torch.arange(W, dtype=img.dtype), indexing="ij")
        c = img.new_tensor([(W - 1) / 2, (H - 1) / 2])
        base = torch.stack([xx - c[0], yy - c[1], torch.ones_like(xx)], dim=-1).reshape(-1, 3)
        src = base @ self.theta.t() + c
        lo = torch.floor(src).detach()
        f = src - lo
        padded = torch.cat([img.reshape(B * C, -1), img.new_zeros(B * C, 1)], dim=1)
        out = torch.zeros(B * C, H * W, dtype=img.dtype)
        for k in range(4):
            d = torch.tensor([k & 1, k >> 1], dtype=img.dtype)
            p = (lo + d).long()
            w = torch.where(d > 0, f, 1 - f).prod(dim=1)
            inside = (p[:, 0] >= 0) & (p[:, 0] <= W - 1) & (p[:, 1] >= 0) & (p[:, 1] <= H - 1)
            idx = torch.where(inside, p[:, 1] * W + p[:, 0], torch.full_like(p[:, 0], H * W))
            out = out + padded.index_select(1, idx) * w
        return out.reshape(B, C, H, W)
