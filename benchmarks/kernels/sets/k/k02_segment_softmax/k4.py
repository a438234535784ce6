import numpy as np
import torch
import torch.nn as nn


class _SegmentSoftmax(torch.autograd.Function):
    @staticmethod
    def forward(ctx, values, index, n):
        v = values.detach().cpu().numpy().astype(np.float64)
        i = index.cpu().numpy()
        m = np.full((n, v.shape[1]), -np.inf)
        np.maximum.at(m, i, v)
        m[np.isneginf(m)] = 0.0
        e = np.exp(v - m[i])
        s = np.zeros_like(m)
        np.add.at(s, i, e)
        with np.errstate(divide="ignore"):
            lse = np.log(s) + m
        d = s[i]
        w = e / np.where(d == 0, 1.0, d)
        w = torch.from_numpy(w).to(values.dtype)
        lse = torch.from_numpy(lse).to(values.dtype)
        ctx.n = n
        ctx.save_for_backward(w, index)
        return w, lse

    @staticmethod
    def backward(ctx, gw, gl):
        w, index = ctx.saved_tensors
        gwf = gw * w
        inner = torch.zeros(ctx.n, w.shape[1], dtype=w.dtype).index_add_(0, index, gwf)
        return gwf - w * inner[index] + w * gl[index], None, None


class ModelNew(nn.Module):
    def __init__(self, num_segments):
        super().__init__()
        self.num_segments = num_segments

    def forward(self, values, index):
        return _SegmentSoftmax.apply(values, index, self.num_segments)
