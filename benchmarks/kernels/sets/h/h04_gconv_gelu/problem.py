import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    """Grouped, strided, dilated 2D convolution followed by exact GELU."""

    def __init__(self, cin, cout, kernel, stride, padding, dilation, groups):
        super().__init__()
        self.stride, self.padding, self.dilation, self.groups = stride, padding, dilation, groups
        self.weight = nn.Parameter(torch.randn(cout, cin // groups, kernel, kernel) * 0.2)
        self.bias = nn.Parameter(torch.randn(cout) * 0.1)

    def forward(self, x):
        y = F.conv2d(x, self.weight, self.bias, self.stride, self.padding,
                     self.dilation, self.groups)
        return F.gelu(y)


batch = 2
cin = 16
cout = 24
size = 36


def get_inputs():
    return [torch.randn(batch, cin, size, size)]


def get_init_inputs():
    return [cin, cout, 3, 2, 2, 2, 4]
