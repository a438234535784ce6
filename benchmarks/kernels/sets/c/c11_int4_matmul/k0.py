import torch
import torch.nn as nn

BLOCK_K = 128


class ModelNew(nn.Module):
    def __init__(self, in_features, out_features, group):
        super().__init__()
        self.group = group
        n_groups = in_features // group
        self.register_buffer("qweight", torch.randint(0, 256, (out_features, in_features // 2), dtype=torch.uint8))
        self.register_buffer("scales", torch.rand(out_features, n_groups) * 0.02 + 0.005)
        self.register_buffer("zeros", torch.full((out_features, n_groups), 8, dtype=torch.uint8))
        self.bias = nn.Parameter(torch.zeros(out_features))

    def forward(self, x):
        m, k = x.shape
        acc = self.bias.expand(m, -1).clone()
        gidx = torch.arange(k) // self.group
        for kb in range(k // BLOCK_K):
            k0 = kb * BLOCK_K
            b = self.qweight[:, k0 // 2:k0 // 2 + BLOCK_K // 2]
            q = torch.stack([b & 15, b >> 4], -1).flatten(1).to(x.dtype)
            gi = gidx[k0:k0 + BLOCK_K]
            w = (q - self.zeros[:, gi].to(x.dtype)) * self.scales[:, gi]
            acc = acc + x[:, k0:k0 + BLOCK_K] @ w.t()
        return acc
