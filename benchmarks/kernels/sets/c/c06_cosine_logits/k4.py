import numpy as np
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, dim, num_proto, eps):
        super().__init__()
        self.proto = nn.Parameter(torch.randn(num_proto, dim))
        self.scale = nn.Parameter(torch.tensor(10.0))
        self.eps = eps

    @torch.no_grad()
    def forward(self, x):
        a = x.detach().numpy().astype(np.float64)
        p = self.proto.detach().numpy().astype(np.float64)
        ip = 1.0 / np.maximum(np.sqrt(np.einsum("kd,kd->k", p, p)), self.eps)
        out = np.empty((a.shape[0], p.shape[0]), dtype=x.detach().numpy().dtype)
        sc = float(self.scale)
        for i in range(0, a.shape[0], 16):
            blk = a[i:i + 16]
            ix = 1.0 / np.maximum(np.sqrt(np.einsum("bd,bd->b", blk, blk)), self.eps)
            out[i:i + 16] = np.einsum("bd,kd->bk", blk, p) * ix[:, None] * ip[None, :] * sc
        return torch.from_numpy(out)
