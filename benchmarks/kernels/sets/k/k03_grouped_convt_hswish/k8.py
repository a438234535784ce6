import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """Each tap multiplies the whole input once and is added into a strided slice."""

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
        k, s, p, op, d, G = self.k, self.s, self.p, self.op, self.d, self.g
        w = self.conv_transpose.weight
        O = w.shape[1] * G
        w = w.view(G, C // G, O // G, k, k)
        xg = x.reshape(N, G, C // G, H, W)
        oh = (H - 1) * s - 2 * p + d * (k - 1) + op + 1
        ow = (W - 1) * s - 2 * p + d * (k - 1) + op + 1
        full = x.new_zeros(N, G, O // G, max(oh + p, (H - 1) * s + d * (k - 1) + 1),
                           max(ow + p, (W - 1) * s + d * (k - 1) + 1))
        for a in range(k):
            for b in range(k):
                t = torch.einsum("ngihw,gio->ngohw", xg, w[..., a, b])
                full[..., a * d:a * d + (H - 1) * s + 1:s, b * d:b * d + (W - 1) * s + 1:s] += t
        y = full[..., p:p + oh, p:p + ow].reshape(N, O, oh, ow)
        y = y + self.conv_transpose.bias.view(1, -1, 1, 1)
        y = y * torch.clamp(y + 3.0, 0.0, 6.0) / 6.0 * self.scale + residual
        return y, y.sum(dim=(2, 3)) / (oh * ow)
