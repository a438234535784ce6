import torch
import torch.nn as nn
import torch.nn.functional as F

BATCH, IN_FEATURES, OUT_FEATURES = 64, 300, 192
SLOPE = 0.1


class Model(nn.Module):
    """Linear layer followed by leaky ReLU."""

    def __init__(self, in_features, out_features, slope):
        super().__init__()
        self.slope = slope
        self.weight = nn.Parameter(torch.randn(out_features, in_features) / in_features ** 0.5)
        self.bias = nn.Parameter(torch.randn(out_features))

    def forward(self, x):
        return F.leaky_relu(x @ self.weight.t() + self.bias, self.slope)


def get_inputs():
    return [torch.randn(BATCH, IN_FEATURES)]


def get_init_inputs():
    return [IN_FEATURES, OUT_FEATURES, SLOPE]
