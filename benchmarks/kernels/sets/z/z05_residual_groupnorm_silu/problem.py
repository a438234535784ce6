import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    """Residual add, group normalisation with affine parameters, optional SiLU.

    forward(x, residual) -> (y, h)
      h = x + residual, added in float32 and NOT rounded before the normalisation;
      y = silu(group_norm(h) * weight + bias), the silu only when act=True;
      group_norm is (h - mean) / sqrt(var + eps) with the biased variance over the channels of a
      group and all spatial positions of one sample.
      Both results are computed in float32 and returned in the dtype of x.
    x and residual have one shape [N, C, *spatial] and one dtype (float32 or bfloat16), any number of
    spatial dimensions (none included), any sizes (not only powers of two, N = 0 included), any
    strides (channels_last, transposed or expanded views); a group has at most 16384 elements. Values
    are finite with |x| <= 1e4. The mean of a group of h may be far larger than its standard deviation
    (up to 2000 times). A group may also be nearly or exactly constant (eps then matters), in which
    case |h| <= 1 in it; and a group may have a single element (then |h| <= 10). eps is 1e-6 or more.
    num_groups divides num_channels. weight and bias are float32 [C] and may be changed between calls.
    Accuracy asked for: float32 results to 2e-3 * (1 + |y|); bfloat16 results to that plus one unit in
    the last place of bfloat16. Inputs must not be changed. Forward only (no gradient is asked for).
    """

    def __init__(self, num_channels, num_groups, eps=1e-5, act=True):
        super().__init__()
        self.num_channels = num_channels
        self.num_groups = num_groups
        self.eps = eps
        self.act = act
        self.weight = nn.Parameter(1 + 0.1 * torch.randn(num_channels))
        self.bias = nn.Parameter(0.1 * torch.randn(num_channels))

    def forward(self, x, residual):
        wide = torch.float64 if x.dtype == torch.float64 else torch.float32
        h = x.to(wide) + residual.to(wide)
        n, c = h.shape[:2]
        r = h.flatten(2) if h.dim() > 2 else h[..., None]
        r = r.reshape(n, self.num_groups, (c // self.num_groups) * r.shape[2])
        mean = r.mean(-1, keepdim=True)
        d = r - mean
        var = (d * d).mean(-1, keepdim=True)
        y = (d / torch.sqrt(var + self.eps)).reshape(h.shape)
        shape = (1, c) + (1,) * (h.dim() - 2)
        y = y * self.weight.to(wide).view(shape) + self.bias.to(wide).view(shape)
        if self.act:
            y = F.silu(y)
        return y.to(x.dtype), h.to(x.dtype)


def get_inputs():
    return [torch.randn(2, 32, 8, 8).bfloat16(), torch.randn(2, 32, 8, 8).bfloat16()]


def get_init_inputs():
    return [32, 4]
