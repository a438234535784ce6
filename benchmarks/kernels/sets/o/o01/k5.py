import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def _fwd_tile(x_ptr, r_ptr, w_ptr, y_ptr, h_ptr, M, H, eps, BM: tl.constexpr, BH: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    cols = tl.arange(0, BH)
    m = (rows[:, None] < M) & (cols[None, :] < H)
    off = rows[:, None] * H + cols[None, :]
    h = tl.load(x_ptr + off, mask=m, other=0.0) + tl.load(r_ptr + off, mask=m, other=0.0)
    # float64 statistics cost nothing here, the kernel is bound by memory
    hd = h.to(tl.float64)
    ms = tl.sum(hd * hd, axis=1) / H
    inv = (1.0 / tl.sqrt(ms + eps)).to(tl.float32)
    w = tl.load(w_ptr + cols, mask=cols < H, other=0.0)
    tl.store(h_ptr + off, h, mask=m)
    tl.store(y_ptr + off, h * inv[:, None] * (1.0 + w)[None, :], mask=m)


@triton.jit
def _bwd_tile(gy_ptr, gh_ptr, h_ptr, w_ptr, dx_ptr, dw_ptr, M, H, eps, BM: tl.constexpr, BH: tl.constexpr):
    pid = tl.program_id(0)
    rows = pid * BM + tl.arange(0, BM)
    cols = tl.arange(0, BH)
    m = (rows[:, None] < M) & (cols[None, :] < H)
    off = rows[:, None] * H + cols[None, :]
    h = tl.load(h_ptr + off, mask=m, other=0.0)
    gy = tl.load(gy_ptr + off, mask=m, other=0.0)
    gh = tl.load(gh_ptr + off, mask=m, other=0.0)
    w = tl.load(w_ptr + cols, mask=cols < H, other=0.0)
    inv = 1.0 / tl.sqrt(tl.sum(h * h, axis=1) / H + eps)
    xhat = h * inv[:, None]
    g = gy * (1.0 + w)[None, :]
    c = tl.sum(g * xhat, axis=1) / H
    tl.store(dx_ptr + off, inv[:, None] * (g - xhat * c[:, None]) + gh, mask=m)
    # one partial row of dw per program, reduced by the host
    tl.store(dw_ptr + pid * H + cols, tl.sum(tl.where(m, gy * xhat, 0.0), axis=0), mask=cols < H)


class AddNorm(torch.autograd.Function):
    BM = 8

    @staticmethod
    def forward(ctx, x, r, w, eps):
        H = x.shape[-1]
        x, r, w = x.contiguous(), r.contiguous(), w.contiguous()
        M = x.numel() // H
        y, h = torch.empty_like(x), torch.empty_like(x)
        if M > 0:
            _fwd_tile[(triton.cdiv(M, AddNorm.BM),)](x, r, w, y, h, M, H, eps, BM=AddNorm.BM, BH=triton.next_power_of_2(H))
        ctx.save_for_backward(h, w)
        ctx.eps = eps
        return y, h

    @staticmethod
    def backward(ctx, gy, gh):
        h, w = ctx.saved_tensors
        H = h.shape[-1]
        M = h.numel() // H
        gy, gh = gy.contiguous(), gh.contiguous()
        dx = torch.empty_like(h)
        G = triton.cdiv(M, AddNorm.BM)
        dw = torch.empty((G, H), device=h.device, dtype=torch.float32)
        if M > 0:
            _bwd_tile[(G,)](gy, gh, h, w, dx, dw, M, H, ctx.eps, BM=AddNorm.BM, BH=triton.next_power_of_2(H))
        return dx, dx, dw.sum(0), None


class ModelNew(nn.Module):
    def __init__(self, hidden_size: int, eps: float = 1e-6):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.zeros(hidden_size))

    def forward(self, x, residual):
        return AddNorm.apply(x, residual, self.weight, self.eps)
