import torch
import torch.nn as nn

BATCH = 2
SEQ = 32
HEADS = 4
HEAD_DIM = 32
ROTARY_DIM = 16
BASE = 10000.0
SCALE = 2.0


class Model(nn.Module):
    """Partial, interleaved rotary embedding with explicit positions and a gain per head.

    forward(x, positions):
      x          float32, (B, S, H, D), any strides (it may be a transposed or sliced view).
                 B, S >= 1 are arbitrary; H and D are the constructor's num_heads and head_dim.
      positions  int32 or int64, (B, S), each in [0, 1024), in any order, with repeats;
                 the rows of the batch are independent of each other.
    The first rotary_dim (even, 2 <= rotary_dim <= D) features are rotated in pairs
    (2i, 2i+1) by the angle  position * base**(-2i/rotary_dim) / scale  and multiplied by the
    head's gain; the other features pass through unchanged.
    Returns a new float32 tensor (B, S, H, D); x is left as it was.
    Differentiable in x and in the parameter `gain`.
    """

    def __init__(self, num_heads, head_dim, rotary_dim, base, scale):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = head_dim
        self.rotary_dim = rotary_dim
        self.scale = scale
        self.gain = nn.Parameter(torch.ones(num_heads))
        inv = base ** (-torch.arange(0, rotary_dim, 2, dtype=torch.float32) / rotary_dim)
        self.register_buffer("inv_freq", inv, persistent=False)

    def forward(self, x, positions):
        rd = self.rotary_dim
        angle = positions.float()[..., None] * self.inv_freq / self.scale
        cos = angle.cos()[:, :, None, :]
        sin = angle.sin()[:, :, None, :]
        x1 = x[..., 0:rd:2]
        x2 = x[..., 1:rd:2]
        rot = torch.stack((x1 * cos - x2 * sin, x1 * sin + x2 * cos), dim=-1).flatten(-2)
        rot = rot * self.gain[:, None]
        return torch.cat((rot, x[..., rd:]), dim=-1)


def get_inputs():
    x = torch.randn(BATCH, SEQ, HEADS, HEAD_DIM)
    positions = torch.arange(SEQ).expand(BATCH, SEQ).contiguous()
    return [x, positions]


def get_init_inputs():
    return [HEADS, HEAD_DIM, ROTARY_DIM, BASE, SCALE]
