import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def _rms_loop(x_ptr, r_ptr, w_ptr, y_ptr, h_ptr, inv_ptr,
              sx_row, sx_col, sr_row, sr_col, H, eps, BLOCK: tl.constexpr):
    """Row does not have to fit in one block: pass 1 sums squares, pass 2 rereads h."""
    row = tl.program_id(0).to(tl.int64)
    acc = tl.zeros((BLOCK,), dtype=tl.float32)
    for start in range(0, H, BLOCK):
        c = start + tl.arange(0, BLOCK)
        m = c < H
        h = tl.load(x_ptr + row * sx_row + c * sx_col, mask=m, other=0.0)
        h += tl.load(r_ptr + row * sr_row + c * sr_col, mask=m, other=0.0)
        tl.store(h_ptr + row * H + c, h, mask=m)
        acc += h * h
    inv = tl.rsqrt(tl.sum(acc, axis=0) / H + eps)
    tl.store(inv_ptr + row, inv)
    for start in range(0, H, BLOCK):
        c = start + tl.arange(0, BLOCK)
        m = c < H
        h = tl.load(h_ptr + row * H + c, mask=m, other=0.0)
        w = tl.load(w_ptr + c, mask=m, other=0.0)
        tl.store(y_ptr + row * H + c, (h * inv) * (1.0 + w), mask=m)


class _Fn(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, residual, weight, eps):
        H = x.shape[-1]
        x2, r2 = x.reshape(-1, H), residual.reshape(-1, H)
        n = x2.shape[0]
        y = torch.empty((n, H), device=x.device, dtype=x.dtype)
        h = torch.empty((n, H), device=x.device, dtype=x.dtype)
        inv = torch.empty((n, 1), device=x.device, dtype=torch.float32)
        if n > 0:
            _rms_loop[(n,)](x2, r2, weight, y, h, inv,
                            x2.stride(0), x2.stride(1), r2.stride(0), r2.stride(1),
                            H, eps, BLOCK=128)
        ctx.save_for_backward(h, weight, inv)
        return y.view(x.shape), h.view(x.shape)

    @staticmethod
    def backward(ctx, gy, gh):
        h, weight, inv = ctx.saved_tensors
        xhat = h * inv
        gy2 = gy.reshape(h.shape)
        wg = gy2 * (1.0 + weight)
        dh = inv * (wg - xhat * (wg * xhat).mean(dim=1, keepdim=True))
        dh = dh.view(gh.shape) + gh
        return dh, dh.clone(), (gy2 * xhat).sum(dim=0), None


class ModelNew(nn.Module):
    def __init__(self, hidden_size: int, eps: float = 1e-6):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.zeros(hidden_size))

    def forward(self, x, residual):
        return _Fn.apply(x, residual, self.weight, self.eps)
