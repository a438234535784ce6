import torch
import torch.nn as nn


class ModelNew(nn.Module):
    TILE = 192

    def __init__(self, in_features, out_features):
        super().__init__()
        self.linear = nn.Linear(in_features, out_features, dtype=torch.bfloat16)

    def forward(self, x):
        w = self.linear.weight
        acc = torch.zeros(x.shape[0], w.shape[0], dtype=torch.float32)
        for k in range(0, x.shape[1], self.TILE):
            acc = acc + x[:, k:k + self.TILE].float() @ w[:, k:k + self.TILE].float().t()
        return (acc + self.linear.bias.float()).to(torch.bfloat16)
