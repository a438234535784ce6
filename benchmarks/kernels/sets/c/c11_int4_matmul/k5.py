import torch
import torch.nn as nn

GROUP_SIZE = 64


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
        k = x.shape[1]
        n = self.qweight.shape[0]
        out = torch.zeros(x.shape[0], n, dtype=x.dtype)
        for gi, k0 in enumerate(range(0, k, GROUP_SIZE)):
            b = self.qweight[:, k0 // 2:(k0 + GROUP_SIZE) // 2]
            q = torch.stack([b & 15, b >> 4], -1).reshape(n, -1).to(x.dtype)
            w = (q - self.zeros[:, gi, None].to(x.dtype)) * self.scales[:, gi, None]
            out = out + x[:, k0:k0 + GROUP_SIZE] @ w.t()
        return out + self.bias
