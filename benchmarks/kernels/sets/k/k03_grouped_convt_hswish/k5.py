import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """Batched GEMM into columns, then one index_add into a flat map with a spare slot."""

    def __init__(self, in_channels, out_channels, kernel_size, stride, padding, output_padding,
                 dilation, groups, scale):
        super().__init__()
        self.conv_transpose = nn.ConvTranspose2d(
            in_channels, out_channels, kernel_size, stride=stride, padding=padding,
            output_padding=output_padding, dilation=dilation, groups=groups)
        self.kernel_size, self.stride, self.padding = kernel_size, stride, padding
        self.output_padding, self.dilation, self.groups = output_padding, dilation, groups
        self.scale = scale

    def _targets(self, n, o, dev):
        t = torch.arange(n, device=dev)[None, :] * self.stride - self.padding
        t = t + torch.arange(self.kernel_size, device=dev)[:, None] * self.dilation
        return t, (t >= 0) & (t < o)

    def forward(self, x, residual):
        N, C, H, W = x.shape
        k, G = self.kernel_size, self.groups
        w = self.conv_transpose.weight
        og = w.shape[1]
        span = self.dilation * (k - 1) + self.output_padding + 1 - 2 * self.padding
        oh, ow = (H - 1) * self.stride + span, (W - 1) * self.stride + span
        wm = w.reshape(G, C // G, og * k * k).transpose(1, 2)
        cols = torch.matmul(wm, x.reshape(N, G, C // G, H * W))
        cols = cols.reshape(N, G * og, k * k * H * W)
        ty, vy = self._targets(H, oh, x.device)
        tx, vx = self._targets(W, ow, x.device)
        pos = ty[:, None, :, None] * ow + tx[None, :, None, :]
        ok = vy[:, None, :, None] & vx[None, :, None, :]
        pos = torch.where(ok, pos, torch.full_like(pos, oh * ow)).reshape(-1)
        flat = x.new_zeros(N, G * og, oh * ow + 1).index_add(2, pos, cols)[..., :-1]
        y = flat.reshape(N, G * og, oh, ow) + self.conv_transpose.bias.reshape(-1, 1, 1)
        y = y * (y + 3.0).clamp(min=0.0, max=6.0) * (self.scale / 6.0) + residual
        mean = y.double().mean(dim=(2, 3)).to(y.dtype)
        return y, mean
