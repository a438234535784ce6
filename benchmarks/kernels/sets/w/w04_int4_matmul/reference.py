"""Linear layer with group-wise 4-bit weights (inference only).

The weight (out_features, in_features) is stored as unsigned 4-bit codes packed eight to
an int32 along the input axis, lowest nibble first; the highest nibble uses the sign bit,
so any int32 bit pattern is possible.  Groups of group_size consecutive input features share
one scale (float32, any sign) and one zero point (an integer 0..15) for each output row:

    W[o, i] = (code[o, i] - zeros[o, i // group_size]) * scales[o, i // group_size]
    y = x @ W^T + bias

x: (..., in_features), float32, any leading shape (at least one axis), any strides and any magnitude up to 1e7.
in_features is a multiple of group_size, and group_size a multiple of 8; out_features is any
number.  All buffers come from a checkpoint: what the constructor puts in them is a
placeholder, and they may be loaded or changed at any time.  No gradients are needed.  Accuracy is that
of float32 arithmetic.
"""
import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, in_features, out_features, group_size):
        super().__init__()
        self.in_features, self.out_features, self.group_size = in_features, out_features, group_size
        G = in_features // group_size
        self.register_buffer("qweight", torch.randint(-2 ** 31, 2 ** 31 - 1, (out_features, in_features // 8)).to(torch.int32))
        self.register_buffer("scales", torch.rand(out_features, G) * 0.02 + 0.005)
        self.register_buffer("zeros", torch.full((out_features, G), 8, dtype=torch.int32))
        self.register_buffer("bias", torch.zeros(out_features))

    @torch.no_grad()
    def forward(self, x):
        shift = torch.arange(0, 32, 4, dtype=torch.int32, device=x.device)
        code = (self.qweight.unsqueeze(-1) >> shift) & 15
        code = code.reshape(self.out_features, -1, self.group_size)
        w = (code - self.zeros.unsqueeze(-1)).to(torch.float32) * self.scales.unsqueeze(-1)
        return x @ w.reshape(self.out_features, self.in_features).t() + self.bias


def get_inputs():
    return [torch.randn(8, 64)]


def get_init_inputs():
    return [64, 32, 16]
