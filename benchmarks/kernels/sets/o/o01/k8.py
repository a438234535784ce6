import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def fused_add_rms_norm(x_ptr, res_ptr, w_ptr, out_ptr, rstd_ptr, N, eps, BLOCK: tl.constexpr):
    # vLLM-style: the residual stream is updated where it lies
    row = tl.program_id(0)
    offs = tl.arange(0, BLOCK)
    m = offs < N
    res_row = res_ptr + row * N + offs
    h = tl.load(x_ptr + row * N + offs, mask=m, other=0.0) + tl.load(res_row, mask=m, other=0.0)
    tl.store(res_row, h, mask=m)
    rstd = 1.0 / tl.sqrt(tl.sum(h * h, axis=0) / N + eps)
    w = tl.load(w_ptr + offs, mask=m, other=0.0)
    tl.store(out_ptr + row * N + offs, h * rstd * (1.0 + w), mask=m)
    tl.store(rstd_ptr + row, rstd)


class _F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, residual, weight, eps):
        N = x.shape[-1]
        x = x.contiguous()
        residual = residual.contiguous()
        out = torch.empty_like(x)
        rows = x.numel() // N
        rstd = torch.empty(rows, device=x.device)
        if rows > 0:
            fused_add_rms_norm[(rows,)](x, residual, weight, out, rstd, N, eps, BLOCK=triton.next_power_of_2(N))
        h = residual.view(residual.shape)
        ctx.save_for_backward(h, weight, rstd)
        return out, h

    @staticmethod
    def backward(ctx, g_out, g_res):
        h, weight, rstd = ctx.saved_tensors
        r = rstd.view(*h.shape[:-1], 1)
        g = g_out * (1.0 + weight)
        xhat = h * r
        dh = r * (g - xhat * (g * xhat).mean(-1, keepdim=True)) + g_res
        dw = (g_out * xhat).reshape(-1, h.shape[-1]).sum(0)
        return dh, dh, dw, None


class ModelNew(nn.Module):
    def __init__(self, hidden_size: int, eps: float = 1e-6):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.zeros(hidden_size))

    def forward(self, x, residual):
        return _F.apply(x, residual, self.weight, self.eps)
