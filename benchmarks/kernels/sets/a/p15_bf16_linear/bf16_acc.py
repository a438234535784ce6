import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, in_features, out_features):
        super().__init__()
        self.linear = nn.Linear(in_features, out_features, dtype=torch.bfloat16)

    def forward(self, x):
        w = self.linear.weight
        acc = torch.zeros(x.shape[0], w.shape[0], dtype=torch.bfloat16)
        for k in range(0, x.shape[1], 8):
            acc = acc + (x[:, k:k + 8].float() @ w[:, k:k + 8].float().t()).to(torch.bfloat16)
        return acc + self.linear.bias
