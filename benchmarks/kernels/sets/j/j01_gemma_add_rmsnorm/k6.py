import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def _fused_add_rmsnorm_inplace(x_ptr, res_ptr, w_ptr, out_ptr, n, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    offs = tl.arange(0, BLOCK)
    mask = offs < n
    res_ptrs = res_ptr + row * n + offs
    s = tl.load(x_ptr + row * n + offs, mask=mask, other=0.0) + tl.load(res_ptrs, mask=mask, other=0.0)
    tl.store(res_ptrs, s, mask=mask)
    s = s.to(tl.float32)
    scale = tl.rsqrt(tl.sum(s * s, axis=0) / n + eps)
    w = tl.load(w_ptr + offs, mask=mask, other=0.0)
    tl.store(out_ptr + row * n + offs, (s * scale) * (w + 1.0), mask=mask)


class ModelNew(nn.Module):
    def __init__(self, hidden_size: int, eps: float = 1e-6):
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(hidden_size))
        self.eps = eps

    @torch.no_grad()
    def forward(self, x, residual):
        x = x.contiguous()
        residual = residual.contiguous()
        n = x.shape[-1]
        out = torch.empty_like(x)
        _fused_add_rmsnorm_inplace[(x.numel() // n,)](
            x, residual, self.weight, out, n, self.eps, BLOCK=triton.next_power_of_2(n))
        return out, residual
