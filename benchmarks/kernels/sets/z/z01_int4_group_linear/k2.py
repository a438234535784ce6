import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, in_features, out_features, group_size, bias=True):
        super().__init__()
        self.in_features = in_features
        self.out_features = out_features
        self.group_size = group_size
        n_groups = (in_features + group_size - 1) // group_size
        self.register_buffer("qweight", torch.randint(0, 256, (out_features, in_features // 2), dtype=torch.uint8))
        self.register_buffer("scales", torch.rand(out_features, n_groups) * 0.01 + 0.002)
        self.register_buffer("zeros", torch.randint(0, 16, (out_features, n_groups), dtype=torch.uint8))
        if bias:
            self.bias = nn.Parameter(torch.randn(out_features) * 0.1)
        else:
            self.register_parameter("bias", None)

    def forward(self, x):
        lead = x.shape[:-1]
        x2 = x.reshape(-1, self.in_features)
        q = torch.empty(self.out_features, self.in_features, dtype=torch.float32)
        q[:, 0::2] = (self.qweight & 0xF).float()
        q[:, 1::2] = (self.qweight >> 4).float()
        gs = self.group_size
        y = torch.zeros(x2.shape[0], self.out_features)
        for g in range(self.in_features // gs):
            cols = slice(g * gs, (g + 1) * gs)
            w = (q[:, cols] - self.zeros[:, g:g + 1].float()) * self.scales[:, g:g + 1]
            y += x2[:, cols] @ w.t()
        if self.bias is not None:
            y = y + self.bias
        return y.reshape(*lead, self.out_features)
