import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def _rows(x_ptr, r_ptr, w_ptr, y_ptr, o_ptr, M, N, eps, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    cols = tl.arange(0, BLOCK)
    offs = rows[:, None] * N + cols[None, :]
    mask = (rows[:, None] < M) & (cols[None, :] < N)
    s = tl.load(x_ptr + offs, mask=mask, other=0.0).to(tl.float32)
    s += tl.load(r_ptr + offs, mask=mask, other=0.0).to(tl.float32)
    var = tl.sum(s * s, axis=1) / N
    inv = tl.rsqrt(var + eps)
    w = tl.load(w_ptr + cols, mask=cols < N, other=0.0).to(tl.float32)
    tl.store(o_ptr + offs, s.to(tl.float16), mask=mask)
    tl.store(y_ptr + offs, ((s * inv[:, None]) * w[None, :]).to(tl.float16), mask=mask)


class ModelNew(nn.Module):
    ROWS = 4

    def __init__(self, hidden, eps=1e-6):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(hidden, dtype=torch.float16))

    def forward(self, x, residual):
        n = x.shape[-1]
        a = x.reshape(-1, n).contiguous()
        b = residual.reshape(-1, n).contiguous()
        m = a.shape[0]
        y = torch.empty((m, n), dtype=torch.float16, device=x.device)
        o = torch.empty((m, n), dtype=torch.float16, device=x.device)
        _rows[(triton.cdiv(m, self.ROWS),)](
            a, b, self.weight, y, o, m, n, self.eps, ROWS=self.ROWS, BLOCK=triton.next_power_of_2(n)
        )
        return y.view(x.shape), o.view(x.shape)
