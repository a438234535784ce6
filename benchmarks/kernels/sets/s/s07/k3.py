import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """Two dense filter matrices, built once per size and kept."""

    def __init__(self):
        super().__init__()
        self._cache = {}

    def _filter(self, n_in, n_out, like):
        key = (n_out, like.dtype, like.device)
        if key not in self._cache or self._cache[key].shape[1] < n_in:
            i = torch.arange(n_out, dtype=torch.float64)
            j = torch.arange(n_in, dtype=torch.float64)
            r = n_in / n_out
            s = max(r, 1.0)
            w = torch.relu(1 - ((j + 0.5) - (i[:, None] + 0.5) * r).abs() / s)
            w = w / w.sum(1, keepdim=True)
            self._cache[key] = w.to(like)
        return self._cache[key][:, :n_in]

    def forward(self, x, out_h, out_w):
        a = self._filter(x.shape[2], out_h, x)
        b = self._filter(x.shape[3], out_w, x)
        return a @ x @ b.t()
