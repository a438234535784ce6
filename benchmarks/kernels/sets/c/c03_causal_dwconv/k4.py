import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, channels, kernel_size, dilation):
        super().__init__()
        self.conv = nn.Conv1d(channels, channels, kernel_size, groups=channels, dilation=dilation)
        # tap-major layout so that every tap is one contiguous vector
        self._taps = self.conv.weight.detach()[:, 0, :].t().contiguous()
        self._bias = self.conv.bias.detach().clone()

    def forward(self, x):
        ks = self._taps.shape[0]
        dil = self.conv.dilation[0]
        n, c, l = x.shape
        halo = (ks - 1) * dil
        xp = torch.cat([x.new_zeros(n, c, halo), x], dim=-1)
        acc = self._bias.view(1, c, 1).to(x.dtype)
        for j in range(ks):
            acc = acc + self._taps[j].view(1, c, 1) * xp[..., j * dil:j * dil + l]
        return acc * torch.sigmoid(acc)
