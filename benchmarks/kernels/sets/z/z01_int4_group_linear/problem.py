import torch
import torch.nn as nn


class Model(nn.Module):
    """Weight-only int4 linear layer with one scale and one zero point per group of input columns.

    y = x @ W.T + bias, with W[o, c] = (q[o, c] - zeros[o, c // group_size]) * scales[o, c // group_size].

    State
      qweight  uint8 [out_features, in_features // 2]; the low nibble of byte j is column 2j,
               the high nibble is column 2j + 1. Any byte value is allowed.
      scales   float32 [out_features, n_groups], finite, of any sign, |s| <= 1.
      zeros    uint8 [out_features, n_groups], values 0..15.
      bias     float32 [out_features], or None when the layer is built with bias=False.
      n_groups = ceil(in_features / group_size): the last group may be shorter than the others.
      The state may be changed at any time between calls (load_state_dict, in-place updates).

    Constructor: in_features is even and positive; group_size is any positive integer, odd ones
    and ones that do not divide in_features or are larger than it included.

    Input: x float32, finite, |x| <= 1e6, shape [..., in_features] with any number of leading
    dimensions (none at all, or a leading dimension of 0, are allowed) and any strides
    (transposed, sliced or expanded views). x must not be changed.
    Output: float32 [..., out_features], accurate to float32 accumulation (about 1e-5 of
    |x| @ |W|.T); a half-precision accumulation or a half-precision x is not accurate enough.
    Forward only (no gradient is asked for).
    """

    def __init__(self, in_features, out_features, group_size, bias=True):
        super().__init__()
        self.in_features = in_features
        self.out_features = out_features
        self.group_size = group_size
        n_groups = (in_features + group_size - 1) // group_size
        self.register_buffer("qweight", torch.randint(0, 256, (out_features, in_features // 2), dtype=torch.uint8))
        self.register_buffer("scales", torch.rand(out_features, n_groups) * 0.01 + 0.002)
        self.register_buffer("zeros", torch.randint(0, 16, (out_features, n_groups), dtype=torch.uint8))
        if bias:
            self.bias = nn.Parameter(torch.randn(out_features) * 0.1)
        else:
            self.register_parameter("bias", None)

    def forward(self, x):
        lo = self.qweight & 15
        hi = self.qweight >> 4
        q = torch.stack((lo, hi), dim=-1).reshape(self.out_features, self.in_features)
        group = torch.arange(self.in_features, device=x.device) // self.group_size
        w = (q.to(x.dtype) - self.zeros.to(x.dtype)[:, group]) * self.scales.to(x.dtype)[:, group]
        y = x @ w.t()
        if self.bias is not None:
            y = y + self.bias.to(x.dtype)
        return y


def get_inputs():
    return [torch.randn(8, 256)]


def get_init_inputs():
    return [256, 96, 64]
