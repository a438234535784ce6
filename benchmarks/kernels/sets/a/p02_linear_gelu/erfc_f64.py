import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, in_features, out_features):
        super().__init__()
        self.linear = nn.Linear(in_features, out_features)

    def forward(self, x):
        w = self.linear.weight.double()
        acc = self.linear.bias.double().expand(x.shape[0], -1)
        k = x.shape[1]
        for p in range(0, k, 40):
            acc = acc + x[:, p:p + 40].double() @ w[:, p:p + 40].t()
        # 0.5*(1+erf(z)) == 0.5*erfc(-z), no cancellation for negative z
        y = 0.5 * acc * torch.special.erfc(-acc / 2.0 ** 0.5)
        return y.to(x.dtype)
