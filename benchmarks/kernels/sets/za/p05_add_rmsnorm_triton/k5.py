import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def _k(x_ptr, r_ptr, w_ptr, y_ptr, o_ptr, xs, rs, N, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(x_ptr + row * xs + cols, mask=mask, other=0.0).to(tl.float32)
    r = tl.load(r_ptr + row * rs + cols, mask=mask, other=0.0).to(tl.float32)
    s = x + r
    inv = tl.rsqrt(tl.sum(s * s, axis=0) / N + eps)
    w = tl.load(w_ptr + cols, mask=mask, other=0.0).to(tl.float32)
    tl.store(o_ptr + row * N + cols, s.to(tl.float16), mask=mask)
    tl.store(y_ptr + row * N + cols, (s * inv * w).to(tl.float16), mask=mask)


class ModelNew(nn.Module):
    def __init__(self, hidden, eps=1e-6):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(hidden, dtype=torch.float16))

    def forward(self, x, residual):
        n = x.shape[-1]
        rows = x.numel() // n
        y = torch.empty(x.shape, dtype=torch.float16, device=x.device)
        o = torch.empty(x.shape, dtype=torch.float16, device=x.device)
        # strided rows are read in place, no copy
        _k[(rows,)](
            x, residual, self.weight, y, o, x.stride(-2), residual.stride(-2), n, self.eps,
            BLOCK=triton.next_power_of_2(n),
        )
        return y, o
