import torch
import torch.nn as nn


class _Q(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        D = x.shape[-1]
        nb = (D + 31) // 32
        xb = x.new_zeros(*x.shape[:-1], nb * 32, dtype=torch.float32)
        xb[..., :D] = x
        xb = xb.unflatten(-1, (nb, 32))
        amax = xb.abs().amax(-1, keepdim=True)
        e = torch.where(amax > 0, torch.floor(torch.log2(amax)) - 2, torch.full_like(amax, -127.0))
        inv = torch.exp2(-e)
        a = xb.abs() * inv
        q = (0.5 * ((a > 0.25).float() + (a >= 0.75) + (a > 1.25) + (a >= 1.75))
             + (a > 2.5).float() + (a >= 3.5) + 2.0 * (a > 5.0))
        y = torch.copysign(q, xb) * torch.exp2(e)
        ctx.save_for_backward((a <= 6).flatten(-2)[..., :D])
        return y.flatten(-2)[..., :D].to(x.dtype), e.squeeze(-1).int()

    @staticmethod
    def backward(ctx, gy, _):
        keep, = ctx.saved_tensors
        return torch.where(keep, gy, torch.zeros_like(gy))


class ModelNew(nn.Module):
    """Code by counting the decision thresholds that the magnitude passes."""

    def __init__(self):
        super().__init__()

    def forward(self, x):
        return _Q.apply(x)
