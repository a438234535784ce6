import torch
import torch.nn as nn


def _erf(z):
    s = torch.sign(z)
    a = z.abs()
    t = 1.0 / (1.0 + 0.3275911 * a)
    p = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))))
    return s * (1.0 - p * torch.exp(-a * a))


class ModelNew(nn.Module):
    def __init__(self, in_features, out_features):
        super().__init__()
        self.linear = nn.Linear(in_features, out_features)

    def forward(self, x):
        z = x @ self.linear.weight.t() + self.linear.bias
        return 0.5 * z * (1.0 + _erf(z * 0.7071067811865476))
