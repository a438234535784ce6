import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def _scan(a_ptr, u_ptr, h0_ptr, h_ptr, T, D, N, BLOCK: tl.constexpr):
    n = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    m = n < N
    base = (n // D) * T * D + n % D
    h = tl.load(h0_ptr + n, mask=m, other=0.0)
    for t in range(0, T):
        a = tl.load(a_ptr + base + t * D, mask=m, other=0.0)
        u = tl.load(u_ptr + base + t * D, mask=m, other=0.0)
        h = a * h + u
        tl.store(h_ptr + base + t * D, h, mask=m)


@triton.jit
def _scan_bwd(a_ptr, h_ptr, h0_ptr, g_ptr, ga_ptr, gu_ptr, gh0_ptr, T, D, N, BLOCK: tl.constexpr):
    n = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    m = n < N
    base = (n // D) * T * D + n % D
    c = tl.zeros((BLOCK,), dtype=tl.float32)
    for i in range(0, T):
        t = T - 1 - i
        a = tl.load(a_ptr + base + t * D, mask=m, other=0.0)
        c = a * c + tl.load(g_ptr + base + t * D, mask=m, other=0.0)
        if t > 0:
            hp = tl.load(h_ptr + base + (t - 1) * D, mask=m, other=0.0)
        else:
            hp = tl.load(h0_ptr + n, mask=m, other=0.0)
        tl.store(gu_ptr + base + t * D, c, mask=m)
        tl.store(ga_ptr + base + t * D, c * hp, mask=m)
    a0 = tl.load(a_ptr + base, mask=m, other=0.0)
    tl.store(gh0_ptr + n, c * a0, mask=m)


class _LinRec(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, u, h0):
        a, u, h0 = a.contiguous(), u.contiguous(), h0.contiguous()
        B, T, D = a.shape
        h = torch.empty_like(u)
        N = B * D
        _scan[(triton.cdiv(N, 256),)](a, u, h0, h, T, D, N, BLOCK=256)
        ctx.save_for_backward(a, h, h0)
        return h

    @staticmethod
    def backward(ctx, g):
        a, h, h0 = ctx.saved_tensors
        B, T, D = a.shape
        g = g.contiguous()
        ga, gu, gh0 = torch.empty_like(a), torch.empty_like(a), torch.empty_like(h0)
        N = B * D
        _scan_bwd[(triton.cdiv(N, 256),)](a, h, h0, g, ga, gu, gh0, T, D, N, BLOCK=256)
        return ga, gu, gh0


class ModelNew(nn.Module):
    """Triton scan over time, the backward being the same scan in reverse time."""

    def __init__(self):
        super().__init__()

    def forward(self, x, log_a, h0):
        a = torch.exp(log_a)
        u = torch.sqrt(-torch.expm1(2.0 * log_a)) * x
        h = _LinRec.apply(a, u, h0)
        return h, h[:, -1]
