import numba
import numpy as np
import torch
import torch.nn as nn


@numba.njit
def _gemm(q, w, out):
    for i in range(q.shape[0]):
        for j in range(w.shape[0]):
            s = np.int32(0)
            for k in range(q.shape[1]):
                s += np.int32(q[i, k]) * np.int32(w[j, k])
            out[i, j] = s


class ModelNew(nn.Module):
    """Integer dot products in a compiled loop."""

    def __init__(self, in_features, out_features):
        super().__init__()
        weight = torch.randint(-64, 64, (out_features, in_features), dtype=torch.int8)
        self.register_buffer("weight", weight)
        self.register_buffer("weight_scale", torch.rand(out_features) * 0.01 + 0.001)
        self.register_buffer("bias", torch.randn(out_features))

    @torch.no_grad()
    def forward(self, x):
        a = x.detach().cpu().numpy()
        a = np.ascontiguousarray(a).reshape(-1, a.shape[-1])
        s = np.maximum(np.abs(a).max(axis=1, keepdims=True) / a.dtype.type(127.0),
                       a.dtype.type(1e-12))
        q = np.clip(np.rint(a / s), -127, 127).astype(np.int8)
        w = self.weight.cpu().numpy()
        acc = np.empty((a.shape[0], w.shape[0]), dtype=np.int64)
        _gemm(q, np.ascontiguousarray(w), acc)
        y = acc.astype(a.dtype) * (s * self.weight_scale.cpu().numpy()) + self.bias.cpu().numpy()
        return torch.from_numpy(y).to(x.dtype).reshape(*x.shape[:-1], -1)
