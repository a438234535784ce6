import torch
import torch.nn as nn


class Model(nn.Module):
    """Linear layer with packed 4-bit weights, per-group scale and zero point."""

    def __init__(self, in_features, out_features, group):
        super().__init__()
        self.group = group
        n_groups = in_features // group
        self.register_buffer("qweight", torch.randint(0, 256, (out_features, in_features // 2), dtype=torch.uint8))
        self.register_buffer("scales", torch.rand(out_features, n_groups) * 0.02 + 0.005)
        self.register_buffer("zeros", torch.full((out_features, n_groups), 8, dtype=torch.uint8))
        self.bias = nn.Parameter(torch.zeros(out_features))

    def forward(self, x):
        n = self.qweight.shape[0]
        q = torch.stack([self.qweight & 0xF, self.qweight >> 4], dim=-1).reshape(n, -1).to(x.dtype)
        q = q.view(n, -1, self.group) - self.zeros.unsqueeze(-1).to(x.dtype)
        w = (q * self.scales.unsqueeze(-1)).reshape(n, -1)
        return x @ w.t() + self.bias


M = 32
K = 256
N_OUT = 192
GROUP = 64


def get_inputs():
    return [torch.randn(M, K)]


def get_init_inputs():
    return [K, N_OUT, GROUP]
