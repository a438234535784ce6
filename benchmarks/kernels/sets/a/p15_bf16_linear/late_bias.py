import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, in_features, out_features):
        super().__init__()
        self.linear = nn.Linear(in_features, out_features, dtype=torch.bfloat16)

    def forward(self, x):
        w = self.linear.weight
        cols = []
        for j in range(0, w.shape[0], 10):
            acc = x.float() @ w[j:j + 10].float().t()
            cols.append(acc.to(torch.bfloat16) + self.linear.bias[j:j + 10])
        return torch.cat(cols, dim=1)
