import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def _k(x_ptr, r_ptr, w_ptr, y_ptr, o_ptr, N, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(x_ptr + row * N + cols, mask=mask, other=0.0).to(tl.float32)
    r = tl.load(r_ptr + row * N + cols, mask=mask, other=0.0).to(tl.float32)
    s = x + r
    tl.store(o_ptr + row * N + cols, s.to(tl.float16), mask=mask)
    ms = tl.sum(s * s, axis=0) / N
    w = tl.load(w_ptr + cols, mask=mask, other=0.0).to(tl.float32)
    y = s / tl.sqrt(ms + eps) * w
    tl.store(y_ptr + row * N + cols, y.to(tl.float16), mask=mask)


class ModelNew(nn.Module):
    def __init__(self, hidden, eps=1e-6):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(hidden, dtype=torch.float16))

    def forward(self, x, residual):
        n = x.shape[-1]
        xc, rc = x.contiguous(), residual.contiguous()
        y, o = torch.empty_like(xc), torch.empty_like(xc)
        rows = xc.numel() // n
        _k[(rows,)](xc, rc, self.weight, y, o, n, self.eps, BLOCK=triton.next_power_of_2(n))
        return y, o
