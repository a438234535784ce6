import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def _fwd(x_ptr, r_ptr, w_ptr, y_ptr, h_ptr, inv_ptr, H, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < H
    h = tl.load(x_ptr + row * H + cols, mask=mask, other=0.0) + tl.load(r_ptr + row * H + cols, mask=mask, other=0.0)
    ms = tl.sum(h * h, axis=0) / H
    inv = 1.0 / tl.sqrt(ms + eps)
    w = tl.load(w_ptr + cols, mask=mask, other=0.0)
    tl.store(h_ptr + row * H + cols, h, mask=mask)
    tl.store(y_ptr + row * H + cols, h * inv * (1.0 + w), mask=mask)
    tl.store(inv_ptr + row, inv)


@triton.jit
def _bwd(gy_ptr, gh_ptr, h_ptr, w_ptr, inv_ptr, dx_ptr, H, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < H
    gy = tl.load(gy_ptr + row * H + cols, mask=mask, other=0.0)
    gh = tl.load(gh_ptr + row * H + cols, mask=mask, other=0.0)
    h = tl.load(h_ptr + row * H + cols, mask=mask, other=0.0)
    w = tl.load(w_ptr + cols, mask=mask, other=0.0)
    inv = tl.load(inv_ptr + row)
    g = gy * (1.0 + w)
    dot = tl.sum(g * h, axis=0) / H
    dx = inv * (g - h * (inv * inv * dot)) + gh
    tl.store(dx_ptr + row * H + cols, dx, mask=mask)


class AddRMS(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, residual, weight, eps):
        H = x.shape[-1]
        y = torch.empty(x.shape, device=x.device, dtype=x.dtype)
        h = torch.empty(x.shape, device=x.device, dtype=x.dtype)
        rows = x.numel() // H
        inv = torch.empty(rows, device=x.device, dtype=torch.float32)
        BLOCK = triton.next_power_of_2(H)
        if rows:
            _fwd[(rows,)](x, residual, weight.contiguous(), y, h, inv, H, eps, BLOCK=BLOCK)
        ctx.save_for_backward(h, weight, inv)
        return y, h

    @staticmethod
    def backward(ctx, gy, gh):
        h, weight, inv = ctx.saved_tensors
        H = h.shape[-1]
        gy = gy.contiguous()
        gh = gh.contiguous()
        dx = torch.empty_like(gy)
        rows = inv.numel()
        if rows:
            _bwd[(rows,)](gy, gh, h, weight.contiguous(), inv, dx, H, BLOCK=triton.next_power_of_2(H))
        dw = (gy.reshape(rows, H) * h.reshape(rows, H) * inv[:, None]).sum(0)
        return dx, dx, dw, None


class ModelNew(nn.Module):
    def __init__(self, hidden_size: int, eps: float = 1e-6):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.zeros(hidden_size))

    def forward(self, x, residual):
        return AddRMS.apply(x, residual, self.weight, self.eps)
