import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """Row-wise quantisation by 127/amax and an exact GEMM on whole numbers."""

    def __init__(self, in_features, out_features):
        super().__init__()
        weight = torch.randint(-64, 64, (out_features, in_features), dtype=torch.int8)
        self.register_buffer("weight", weight)
        self.register_buffer("weight_scale", torch.rand(out_features) * 0.01 + 0.001)
        self.register_buffer("bias", torch.randn(out_features))

    @torch.no_grad()
    def forward(self, x):
        rows = []
        wt = self.weight.double().t()
        for r in x.reshape(-1, x.shape[-1]).split(16):
            s = r.abs().amax(dim=1, keepdim=True) / 127.0
            q = torch.round(r / s)
            rows.append(torch.matmul(q.double(), wt).to(x.dtype) * (s * self.weight_scale))
        return (torch.cat(rows) + self.bias).reshape(*x.shape[:-1], -1)
