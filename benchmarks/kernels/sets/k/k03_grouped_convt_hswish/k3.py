import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    """Taps accumulate into a map that starts from the bias; borders are cut or extended after."""

    def __init__(self, in_channels, out_channels, kernel_size, stride, padding, output_padding,
                 dilation, groups, scale):
        super().__init__()
        self.conv_transpose = nn.ConvTranspose2d(
            in_channels, out_channels, kernel_size, stride=stride, padding=padding,
            output_padding=output_padding, dilation=dilation, groups=groups)
        self.k, self.s, self.p, self.op = kernel_size, stride, padding, output_padding
        self.d, self.g, self.scale = dilation, groups, scale

    def forward(self, x, residual):
        N, C, H, W = x.shape
        k, s, d, G = self.k, self.s, self.d, self.g
        w = self.conv_transpose.weight
        og = w.shape[1]
        fh, fw = (H - 1) * s + d * (k - 1) + 1, (W - 1) * s + d * (k - 1) + 1
        full = self.conv_transpose.bias.view(1, G, og, 1, 1).expand(N, G, og, fh, fw).clone()
        wg = w.view(G, C // G, og, k, k)
        xg = x.reshape(N, G, C // G, H, W)
        for a in range(k):
            for b in range(k):
                full[..., a * d:a * d + (H - 1) * s + 1:s, b * d:b * d + (W - 1) * s + 1:s] += \
                    torch.einsum("ngihw,gio->ngohw", xg, wg[..., a, b])
        full = full.reshape(N, G * og, fh, fw)
        tail = self.op - self.p
        y = F.pad(full, (-self.p, tail, -self.p, tail))
        y = F.hardswish(y) * self.scale + residual
        return y, y.mean(dim=(2, 3))
