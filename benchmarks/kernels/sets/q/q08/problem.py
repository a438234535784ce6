import torch
import torch.nn as nn

ROWS = 16
FEATURES = 64
GROUP = 16
BITS = 4


class _FakeQuant(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, scale, group, qn, qp):
        s = scale.repeat_interleave(group)
        v = x / s
        ctx.save_for_backward(v, scale)
        ctx.conf = (group, qn, qp)
        return torch.round(v.clamp(-qn, qp)) * s

    @staticmethod
    def backward(ctx, gy):
        v, scale = ctx.saved_tensors
        group, qn, qp = ctx.conf
        low, high = v < -qn, v > qp
        inside = ~(low | high)
        gx = torch.where(inside, gy, torch.zeros_like(gy))
        ds = torch.where(inside, torch.round(v) - v, torch.zeros_like(v))
        ds = torch.where(low, torch.full_like(v, -qn), ds)
        ds = torch.where(high, torch.full_like(v, qp), ds)
        per_group = v.numel() // scale.numel()
        gs = (gy * ds).reshape(-1, scale.numel(), group).sum((0, 2)) / (per_group * qp) ** 0.5
        return gx, gs, None, None, None


class Model(nn.Module):
    """Learned-step-size fake quantisation (LSQ) with one step size per feature group.

    forward(x): float32 (..., features) with any leading dimensions (also none), any strides, at least one element,
    |x| <= 1e6. group divides features; bits is 2..8. `scale` (features / group,) is a trained parameter; its
    values are positive and differ between groups.
      qn = 2**(bits-1), qp = 2**(bits-1) - 1,  v = x / scale of the group (float32 division)
      y = round(clamp(v, -qn, qp)) * scale, round = to nearest, ties to even (ties do occur)
    Straight-through gradients: dy/dx = 1 where -qn <= v <= qp, else 0;
      dy/dscale = round(v) - v inside, -qn below, qp above, and the scale's gradient is multiplied by
      1 / sqrt(n * qp), n the number of elements of x per group.
    Returns y, float32, the shape of x.
    """

    def __init__(self, features, group, bits):
        super().__init__()
        self.group = group
        self.qn = 2 ** (bits - 1)
        self.qp = 2 ** (bits - 1) - 1
        self.scale = nn.Parameter(torch.full((features // group,), 0.65))

    def forward(self, x):
        return _FakeQuant.apply(x, self.scale, self.group, self.qn, self.qp)


def get_inputs():
    return [torch.randn(ROWS, FEATURES)]


def get_init_inputs():
    return [FEATURES, GROUP, BITS]
