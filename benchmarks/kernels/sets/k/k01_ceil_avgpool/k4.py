import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    """Unfolds windows along both axes and reduces them with one sum."""

    def __init__(self, kernel_size, stride, padding, count_include_pad=True):
        super().__init__()
        self.k, self.s, self.p, self.inc = kernel_size, stride, padding, count_include_pad

    def _axis(self, n):
        o = -(-(n + 2 * self.p - self.k) // self.s) + 1
        if (o - 1) * self.s >= n + self.p:
            o -= 1
        return o, max(0, (o - 1) * self.s + self.k - n - self.p)

    def _valid(self, n, o, ref):
        i = torch.arange(o, device=ref.device) * self.s - self.p
        return ((i + self.k).clamp(max=n) - i.clamp(min=0)).to(ref.dtype)

    def forward(self, x):
        k, s, p = self.k, self.s, self.p
        H, W = x.shape[-2:]
        oh, eh = self._axis(H)
        ow, ew = self._axis(W)
        xp = F.pad(x, (p, ew, p, eh))
        win = xp.unfold(-2, k, s).unfold(-2, k, s)[..., :oh, :ow, :, :]
        total = win.sum(dim=(-1, -2))
        if self.inc:
            return total * (1.0 / (k * k))
        return total / (self._valid(H, oh, x)[:, None] * self._valid(W, ow, x)[None, :])
