import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def _scan_kernel(x_ptr, a_ptr, r_ptr, h0_ptr, y_ptr, T, D, BD: tl.constexpr):
    b = tl.program_id(0)
    d = tl.program_id(1) * BD + tl.arange(0, BD)
    m = d < D
    h0 = tl.load(h0_ptr + d, mask=m, other=0.0)
    h = h0
    for t in range(0, T):
        off = (b * T + t) * D + d
        r = tl.load(r_ptr + b * T + t)
        x = tl.load(x_ptr + off, mask=m, other=0.0)
        a = tl.load(a_ptr + off, mask=m, other=0.0)
        h = tl.where(r != 0, h0, h)
        h = a * h + (1 - a) * x
        tl.store(y_ptr + off, h, mask=m)


class _Fn(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, a, reset, h0):
        x, a = x.contiguous(), a.contiguous()
        B, T, D = x.shape
        y = torch.empty_like(x)
        BD = 32
        _scan_kernel[(B, triton.cdiv(D, BD))](x, a, reset.contiguous().to(torch.int32), h0.detach().contiguous(),
                                              y, T, D, BD=BD)
        ctx.save_for_backward(x, a, reset, h0, y)
        return y

    @staticmethod
    def backward(ctx, gy):
        x, a, reset, h0, y = ctx.saved_tensors
        B, T, D = x.shape
        r = reset[..., None]
        prev = torch.where(r, h0, torch.cat((h0.expand(B, 1, D), y[:, :-1]), 1))
        gh = gy.clone()
        for t in range(T - 2, -1, -1):
            gh[:, t] += torch.where(r[:, t + 1], torch.zeros_like(gh[:, t]), a[:, t + 1] * gh[:, t + 1])
        to_prev = gh * a
        first = torch.zeros(1, T, 1, dtype=torch.bool, device=x.device)
        first[:, 0] = True
        gh0 = torch.where(r | first, to_prev, torch.zeros_like(to_prev)).sum((0, 1))
        return gh * (1 - a), gh * (prev - x), None, gh0


class ModelNew(nn.Module):
    """One Triton program per (batch, 32 channels), the state stays in registers."""

    def __init__(self, dim):
        super().__init__()
        self.bias = nn.Parameter(torch.full((dim,), 1.0))
        self.h0 = nn.Parameter(torch.linspace(-0.5, 0.5, dim))

    def forward(self, x, g, reset):
        a = torch.sigmoid(g + self.bias)
        h = _Fn.apply(x, a, reset, self.h0)
        return h, h[:, -1].clone()
