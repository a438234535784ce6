import math

import torch
import torch.nn as nn


class _LinearGelu(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, w, b):
        z = x @ w.t() + b
        ctx.save_for_backward(x, w, z)
        return 0.5 * z * (1.0 + torch.erf(z / math.sqrt(2.0)))

    @staticmethod
    def backward(ctx, g):
        x, w, z = ctx.saved_tensors
        cdf = 0.5 * (1.0 + torch.erf(z / math.sqrt(2.0)))
        pdf = torch.exp(-0.5 * z * z) / math.sqrt(2.0 * math.pi)
        gz = g * (cdf + z * pdf)
        return gz @ w, gz.t() @ x, None


class ModelNew(nn.Module):
    def __init__(self, in_features, out_features):
        super().__init__()
        self.linear = nn.Linear(in_features, out_features)

    def forward(self, x):
        return _LinearGelu.apply(x, self.linear.weight, self.linear.bias)
