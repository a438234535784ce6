import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, in_features, out_features):
        super().__init__()
        self.linear = nn.Linear(in_features, out_features, dtype=torch.bfloat16)

    def forward(self, x):
        w = self.linear.weight
        steps = x.shape[1] // 256
        acc = self.linear.bias.float().expand(x.shape[0], -1)
        for s in range(steps):
            sl = slice(256 * s, 256 * s + 256)
            acc = acc + x[:, sl].float() @ w[:, sl].float().t()
        return acc.to(torch.bfloat16)
