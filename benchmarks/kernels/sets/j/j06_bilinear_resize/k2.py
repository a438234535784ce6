import torch
import torch.nn as nn


def hat(n_in, n_out, align, device):
    """(n_out, n_in) matrix of linear interpolation"""
    o = torch.arange(n_out, device=device, dtype=torch.float64)
    if align:
        src = o * ((n_in - 1) / (n_out - 1)) if n_out > 1 else o * 0.0
    else:
        src = (o + 0.5) * (n_in / n_out) - 0.5
    src = src.clamp(0, n_in - 1)
    grid = torch.arange(n_in, device=device, dtype=torch.float64)
    return (1.0 - (src[:, None] - grid[None, :]).abs()).clamp(min=0.0)


class ModelNew(nn.Module):
    def __init__(self, out_h: int, out_w: int, align_corners: bool = False):
        super().__init__()
        self.out_h = out_h
        self.out_w = out_w
        self.align_corners = align_corners

    @torch.no_grad()
    def forward(self, x):
        A = hat(x.shape[2], self.out_h, self.align_corners, x.device).to(x.dtype)
        B = hat(x.shape[3], self.out_w, self.align_corners, x.device).to(x.dtype)
        return A @ x @ B.t()
