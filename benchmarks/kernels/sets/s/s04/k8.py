import torch
import torch.nn as nn
import torch.nn.functional as F


class _Q(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        D = x.shape[-1]
        xb = F.pad(x, (0, -D % 32)).double().unflatten(-1, (-1, 32))
        top = xb.abs().amax(-1, keepdim=True)
        zero = top == 0
        e = torch.frexp(top).exponent - 3
        s = torch.exp2(e.double())
        a = xb / s
        # adding and removing 1.5 * 2^k rounds half-even at spacing 2^(k - 52)
        r05, r1, r2 = (1.5 * 2.0 ** (52 + k) for k in (-1, 0, 1))
        q = torch.where(a.abs() < 2, (a + r05) - r05,
                        torch.where(a.abs() < 4, (a + r1) - r1, (a + r2) - r2))
        y = (q.clamp(-6, 6) * s).masked_fill(zero, 0.0)
        ctx.save_for_backward((a.abs() <= 6).flatten(-2)[..., :D])
        e = e.masked_fill(zero, -127)
        return y.flatten(-2)[..., :D].to(x.dtype), e.squeeze(-1)

    @staticmethod
    def backward(ctx, gy, _):
        keep, = ctx.saved_tensors
        return gy * keep


class ModelNew(nn.Module):
    """Rounding by the magic-constant addition in double precision."""

    def __init__(self):
        super().__init__()

    def forward(self, x):
        return _Q.apply(x)
