import torch
import torch.nn as nn


def _apply(x, dim, n_out):
    n_in = x.shape[dim]
    if n_in == n_out:
        return x
    r = n_in / n_out
    c = (torch.arange(n_out, dtype=torch.float64, device=x.device) + 0.5) * r - 0.5
    j = torch.arange(n_in, dtype=torch.float64, device=x.device)
    w = torch.clamp(1 - torch.abs(j - c[:, None]) / max(r, 1.0), min=0)
    w = (w / w.sum(-1, keepdim=True)).to(x.dtype)
    return torch.movedim(torch.tensordot(x, w, dims=([dim], [1])), -1, dim)


class ModelNew(nn.Module):
    """Axis by axis with tensordot; an axis of unchanged length needs no filter."""

    def __init__(self):
        super().__init__()

    def forward(self, x, out_h, out_w):
        return _apply(_apply(x, 2, out_h), 3, out_w)
