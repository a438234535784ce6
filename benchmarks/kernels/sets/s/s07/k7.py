import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """Filter matrices in float64, cached per pair of lengths; the cheaper axis order
    is taken first."""

    def __init__(self):
        super().__init__()
        self._cache = {}

    def _m(self, n_in, n_out, device):
        key = (n_in, n_out, device)
        m = self._cache.get(key)
        if m is None:
            r = n_in / n_out
            s = max(r, 1.0)
            d = (torch.arange(n_in, dtype=torch.float64)[None] + 0.5
                 - (torch.arange(n_out, dtype=torch.float64)[:, None] + 0.5) * r)
            m = torch.where(d.abs() < s, s - d.abs(), torch.zeros_like(d))
            m = (m / m.sum(1, keepdim=True)).to(device)
            self._cache[key] = m
        return m

    def forward(self, x, out_h, out_w):
        H, W = x.shape[2:]
        a, b = self._m(H, out_h, x.device), self._m(W, out_w, x.device)
        xd = x.double()
        if out_h * W <= H * out_w:
            y = torch.matmul(torch.matmul(a, xd), b.t())
        else:
            y = torch.matmul(a, torch.matmul(xd, b.t()))
        return y.to(x.dtype)
