import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    """Zero-copy sliding windows over the padded image, then a grouped contraction."""

    def __init__(self, in_channels, out_channels, kernel_size, groups, stride, padding):
        super().__init__()
        self.conv = nn.Conv2d(in_channels, out_channels, kernel_size,
                              stride=stride, padding=padding, groups=groups)
    def forward(self, x):
        c = self.conv
        N, C, H, W = x.shape
        G, K, s, p = c.groups, c.kernel_size[0], c.stride[0], c.padding[0]
        if p:
            x = F.pad(x, (p, p, p, p))
        Hp, Wp = H + 2 * p, W + 2 * p
        oh, ow = (Hp - K) // s + 1, (Wp - K) // s + 1
        win = torch.as_strided(
            x, (N, G, C // G, oh, ow, K, K),
            (C * Hp * Wp, C // G * Hp * Wp, Hp * Wp, Wp * s, s, Wp, 1))
        w = c.weight.view(G, c.out_channels // G, C // G, K, K)
        y = torch.einsum("ngchwij,gocij->ngohw", win, w)
        y = y.reshape(N, c.out_channels, oh, ow) + c.bias.view(1, -1, 1, 1)
        return F.gelu(y)
