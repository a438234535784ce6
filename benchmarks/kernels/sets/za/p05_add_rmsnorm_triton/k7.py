import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def _k(x_ptr, r_ptr, w_ptr, y_ptr, o_ptr, N, BLOCK: tl.constexpr, EPS: tl.constexpr = 1e-6):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(x_ptr + row * N + cols, mask=mask, other=0.0).to(tl.float32)
    r = tl.load(r_ptr + row * N + cols, mask=mask, other=0.0).to(tl.float32)
    s = x + r
    ms = tl.sum(s * s, axis=0) / N
    inv = tl.rsqrt(ms + EPS)
    w = tl.load(w_ptr + cols, mask=mask, other=0.0).to(tl.float32)
    tl.store(y_ptr + row * N + cols, (s * inv * w).to(tl.float16), mask=mask)
    tl.store(o_ptr + row * N + cols, s.to(tl.float16), mask=mask)


class ModelNew(nn.Module):
    def __init__(self, hidden, eps=1e-6):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(hidden, dtype=torch.float16))

    def forward(self, x, residual):
        n = x.shape[-1]
        x2 = x.reshape(-1, n).contiguous()
        r2 = residual.reshape(-1, n).contiguous()
        y, o = torch.empty_like(x2), torch.empty_like(x2)
        _k[(x2.shape[0],)](x2, r2, self.weight, y, o, n, BLOCK=triton.next_power_of_2(n))
        return y.reshape(x.shape), o.reshape(x.shape)
