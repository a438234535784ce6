import torch
import torch.nn as nn


class Model(nn.Module):
    """
    Rotary position embedding with a start offset per sequence.

    forward(x, offsets):
      x        float32 [B, H, S, D]
      offsets  int64 [B]; element s of sequence b has position p = offsets[b] + s
    The first rotary_dim channels (even, 2 <= rotary_dim <= D) are rotated, the others are passed through.  Pair i
    (0 <= i < rotary_dim / 2) turns by the angle p * base ** (-2 i / rotary_dim):
        (a, b) -> (a cos - b sin, a sin + b cos)
    interleaved=False: pair i is made of channels i and i + rotary_dim / 2; True: of channels 2i and 2i + 1.  The output has the
    layout of the input channels.

    What the inputs may be: B, H, S, D >= 1 of any size (B * H up to 64); offsets differ between sequences, change from call to call, and lie
    anywhere between -1,000,000 and 1,000,000.  Angles have to be good enough for that: the output must be accurate to 1e-3 at
    every position.  x is of size 1, may have any strides (typically a transpose of [B, S, H, D]) and must not be modified.
    The result is differentiable with respect to x.
    """

    def __init__(self, rotary_dim, base=10000.0, interleaved=False):
        super().__init__()
        self.rotary_dim = rotary_dim
        self.base = base
        self.interleaved = interleaved

    def forward(self, x, offsets):
        rd, S = self.rotary_dim, x.shape[2]
        inv = self.base ** (-torch.arange(0, rd, 2, dtype=torch.float64) / rd)
        pos = (offsets[:, None] + torch.arange(S)).to(torch.float64)
        ang = pos[:, None, :, None] * inv
        cos, sin = ang.cos().to(x.dtype), ang.sin().to(x.dtype)
        rot, rest = x[..., :rd], x[..., rd:]
        if self.interleaved:
            a, b = rot[..., 0::2], rot[..., 1::2]
            out = torch.stack([a * cos - b * sin, a * sin + b * cos], dim=-1).flatten(-2)
        else:
            a, b = rot.chunk(2, dim=-1)
            out = torch.cat([a * cos - b * sin, a * sin + b * cos], dim=-1)
        return torch.cat([out, rest], dim=-1)


B, H, S, D = 3, 4, 40, 48
ROTARY = 32


def get_inputs():
    return [torch.randn(B, H, S, D), torch.tensor([0, 17, 250])]


def get_init_inputs():
    return [ROTARY]
