import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """Cyclic reduction (odd-even), recursive."""

    def _cr(self, a, d, c, r):
        n = d.shape[1]
        if n == 1:
            return r / d[..., None]
        if n % 2 == 0:
            # append the trivial row x = 0
            z = torch.zeros_like(d[:, :1])
            a, c = torch.cat([a, z], 1), torch.cat([c, z], 1)
            d = torch.cat([d, torch.ones_like(z)], 1)
            r = torch.cat([r, torch.zeros_like(r[:, :1])], 1)
            return self._cr(a, d, c, r)[:, :n]
        al = a[:, 1::2] / d[:, 0:-1:2]
        ga = c[:, 1::2] / d[:, 2::2]
        d2 = d[:, 1::2] - al * c[:, 0:-1:2] - ga * a[:, 2::2]
        a2 = -al * a[:, 0:-1:2]
        c2 = -ga * c[:, 2::2]
        r2 = r[:, 1::2] - al[..., None] * r[:, 0:-1:2] - ga[..., None] * r[:, 2::2]
        odd = self._cr(a2, d2, c2, r2)
        x = torch.empty_like(r)
        x[:, 1::2] = odd
        pad = torch.zeros_like(odd[:, :1])
        left = torch.cat([pad, odd], 1)
        right = torch.cat([odd, pad], 1)
        x[:, 0::2] = (r[:, 0::2] - a[:, 0::2, None] * left - c[:, 0::2, None] * right) / d[:, 0::2, None]
        return x

    def forward(self, dl, d, du, b):
        n = d.shape[1]
        i = torch.arange(n, device=d.device)
        a = dl * (i > 0)
        c = du * (i < n - 1)
        return self._cr(a, d, c, b)
