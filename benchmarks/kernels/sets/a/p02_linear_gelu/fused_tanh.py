import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, in_features, out_features):
        super().__init__()
        self.linear = nn.Linear(in_features, out_features)

    def forward(self, x):
        w, b = self.linear.weight, self.linear.bias
        out = []
        for i in range(0, x.shape[0], 32):
            z = x[i:i + 32] @ w.t() + b
            u = 0.7978845608028654 * (z + 0.044715 * z * z * z)
            out.append(0.5 * z * (1.0 + torch.tanh(u)))
        return torch.cat(out, 0)
