import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    """Zero-stuffed input, then an ordinary correlation with the flipped kernel by im2col."""

    def __init__(self, in_channels, out_channels, kernel_size, stride, padding, output_padding,
                 dilation, groups, scale):
        super().__init__()
        self.conv_transpose = nn.ConvTranspose2d(
            in_channels, out_channels, kernel_size, stride=stride, padding=padding,
            output_padding=output_padding, dilation=dilation, groups=groups)
        self.scale = scale

    def forward(self, x, residual):
        ct = self.conv_transpose
        k, s, p = ct.kernel_size[0], ct.stride[0], ct.padding[0]
        op, d, G = ct.output_padding[0], ct.dilation[0], ct.groups
        N, C, H, W = x.shape
        lead = d * (k - 1) - p
        z = x.new_zeros(N, C, (H - 1) * s + 1, (W - 1) * s + 1)
        z[:, :, ::s, ::s] = x
        z = F.pad(z, (lead, lead + op, lead, lead + op))
        oh, ow = z.shape[2] - d * (k - 1), z.shape[3] - d * (k - 1)
        w = ct.weight.flip(-1, -2)
        O = w.shape[1] * G
        cols = F.unfold(z, k, dilation=d).view(N, G, (C // G) * k * k, oh * ow)
        w = w.reshape(G, C // G, O // G, k * k).permute(0, 2, 1, 3).reshape(G, O // G, -1)
        y = torch.matmul(w, cols).reshape(N, O, oh, ow) + ct.bias[None, :, None, None]
        gate = F.relu6(y + 3.0) * (1.0 / 6.0)
        y = torch.addcmul(residual, y * gate, torch.full_like(y[:1, :1, :1, :1], self.scale))
        rows = y.mean(dim=3)
        return y, rows.mean(dim=2)
