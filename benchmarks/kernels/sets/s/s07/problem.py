"""Antialiased bilinear (triangle filter) image resize to any size, pixel centres at +0.5.

x (N, C, H, W) float32, finite, any strides (channels_last is common), all sizes >= 1;
out_h and out_w are plain ints >= 1, given per call: each axis on its own may grow,
shrink (also by large factors) or stay. For output pixel i with ratio r = in / out:
centre c = (i + 0.5) * r, filter width s = max(r, 1), weights
max(0, 1 - |j + 0.5 - c| / s) over the input pixels j, normalised to sum one.
The result is a new tensor that never shares memory with x, whatever the sizes.
The layer has no parameters, but gradients with respect to x are taken.
"""
import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()

    @staticmethod
    def _matrix(n_in, n_out):
        r = n_in / n_out
        c = (torch.arange(n_out, dtype=torch.float64) + 0.5) * r
        j = torch.arange(n_in, dtype=torch.float64) + 0.5
        w = (1 - (j[None] - c[:, None]).abs() / max(r, 1.0)).clamp(min=0)
        return w / w.sum(1, keepdim=True)

    def forward(self, x, out_h, out_w):
        mh = self._matrix(x.shape[2], out_h).to(x)
        mw = self._matrix(x.shape[3], out_w).to(x)
        return torch.einsum("ih,nchw,jw->ncij", mh, x, mw)


batch = 2
channels = 3
size = 24
out_size = 40


def get_inputs():
    return [torch.rand(batch, channels, size, size), out_size, out_size]


def get_init_inputs():
    return []
