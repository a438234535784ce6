import torch
import torch.nn as nn
import torch.nn.functional as F


class _Q(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        D = x.shape[-1]
        xb = F.pad(x.float(), (0, -D % 32)).unflatten(-1, (-1, 32))
        amax = xb.abs().amax(-1, keepdim=True)
        # exponent field of the float32 pattern
        e = (amax.contiguous().view(torch.int32) >> 23) - 129
        e = torch.where(amax == 0, torch.full_like(e, -127), e)
        a = torch.ldexp(xb.abs(), -e)
        up = torch.where(a < 2, 2.0, torch.where(a < 4, 1.0, 0.5))
        q = (torch.round(a * up) / up).clamp(max=6.0)
        ctx.save_for_backward((a > 6.0).flatten(-2)[..., :D])
        y = torch.where(xb < 0, -q, q) * torch.exp2(e.float())
        return y.flatten(-2)[..., :D].to(x.dtype), e[..., 0]

    @staticmethod
    def backward(ctx, gy, _):
        clip, = ctx.saved_tensors
        return gy.masked_fill(clip, 0.0)


class ModelNew(nn.Module):
    """Shared exponent from the bit pattern; rounding on a per-octave grid."""

    def __init__(self):
        super().__init__()

    def forward(self, x):
        return _Q.apply(x)
