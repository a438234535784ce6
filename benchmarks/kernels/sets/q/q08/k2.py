import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def _fq_kernel(x_ptr, s_ptr, y_ptr, numel, features, group, qn, qp, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    m = i < numel
    x = tl.load(x_ptr + i, mask=m, other=0.0)
    s = tl.load(s_ptr + (i % features) // group, mask=m, other=1.0)
    v = tl.minimum(tl.maximum(tl.div_rn(x, s), -qn), qp)
    r = (v + 12582912.0) - 12582912.0
    tl.store(y_ptr + i, r * s, mask=m)


class _Lsq(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, scale, group, qn, qp):
        x = x.contiguous()
        y = torch.empty_like(x)
        _fq_kernel[(triton.cdiv(x.numel(), 256),)](x, scale.detach().contiguous(), y, x.numel(), x.shape[-1], group,
                                                   float(qn), float(qp), BLOCK=256)
        ctx.save_for_backward(x, scale)
        ctx.conf = (group, qn, qp)
        return y

    @staticmethod
    def backward(ctx, gy):
        x, scale = ctx.saved_tensors
        group, qn, qp = ctx.conf
        v = x / scale.repeat_interleave(group)
        inside = (v >= -qn) & (v <= qp)
        ds = torch.where(inside, v.round() - v, v.clamp(-qn, qp))
        n = x.numel() // scale.numel()
        gs = (gy * ds).reshape(-1, scale.numel(), group).sum((0, 2)) * (n * qp) ** -0.5
        return gy * inside, gs, None, None, None


class ModelNew(nn.Module):
    """Triton forward over the flat tensor; rounding by the 1.5 * 2^23 trick (ties to even)."""

    def __init__(self, features, group, bits):
        super().__init__()
        self.group = group
        self.qn = 2 ** (bits - 1)
        self.qp = 2 ** (bits - 1) - 1
        self.scale = nn.Parameter(torch.full((features // group,), 0.65))

    def forward(self, x):
        return _Lsq.apply(x, self.scale, self.group, self.qn, self.qp)
