import torch
import torch.nn as nn


def _interp_matrix(n_in, n_out, dtype):
    m = torch.zeros(n_out, n_in, dtype=torch.float64)
    for o in range(n_out):
        s = max((o + 0.5) * n_in / n_out - 0.5, 0.0)
        i = min(int(s), n_in - 1)
        f = s - i
        j = min(i + 1, n_in - 1)
        m[o, i] += 1.0 - f
        m[o, j] += f
    return m.to(dtype)


class ModelNew(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.gain = nn.Parameter(torch.rand(channels, 1, 1) + 0.5)
        self._mats = {}

    def _mat(self, n_in, n_out, dtype):
        key = (n_in, n_out, dtype)
        if key not in self._mats:
            self._mats[key] = _interp_matrix(n_in, n_out, dtype)
        return self._mats[key]

    def forward(self, x, skip):
        my = self._mat(x.shape[-2], skip.shape[-2], x.dtype)
        mx = self._mat(x.shape[-1], skip.shape[-1], x.dtype)
        up = torch.matmul(torch.matmul(my, x), mx.t())
        return up + self.gain * skip
