import torch
import torch.nn as nn
import torch.nn.functional as F


class _Q(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        D = x.shape[-1]
        xb = F.pad(x.float(), (0, -D % 32)).unflatten(-1, (-1, 32))
        amax = xb.abs().amax(-1, keepdim=True)
        e = torch.frexp(amax).exponent - 3
        e = torch.where(amax == 0, torch.full_like(e, -127), e)
        s = torch.exp2(e.float())
        a = xb.abs() / s
        ctx.save_for_backward((a <= 6.0).flatten(-2)[..., :D])
        step = torch.where(a < 2, 0.5, torch.where(a < 4, 1.0, 2.0))
        q = (torch.floor(a / step + 0.5) * step).clamp(max=6.0)
        y = q * torch.sign(xb) * s
        return y.flatten(-2)[..., :D].to(x.dtype), e.squeeze(-1)

    @staticmethod
    def backward(ctx, gy, _):
        keep, = ctx.saved_tensors
        return gy * keep.to(gy.dtype)


class ModelNew(nn.Module):
    """Shared exponent by frexp, rounding to the nearest grid point per octave."""

    def __init__(self):
        super().__init__()

    def forward(self, x):
        return _Q.apply(x)
