import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, in_features, out_features):
        super().__init__()
        self.linear = nn.Linear(in_features, out_features, dtype=torch.bfloat16)

    def forward(self, x):
        w = self.linear.weight.float()
        acc = self.linear.bias.float().expand(x.shape[0], -1)
        for k in range(0, x.shape[1], 512):
            acc = acc + x[:, k:k + 512].float() @ w[:, k:k + 512].t()
        return acc
