import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def _norm_tile(x_ptr, r_ptr, w_ptr, y_ptr, s_ptr, M, N, inv_n, eps,
                 BM: tl.constexpr, BN: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    cols = tl.arange(0, BN)
    mask = (rows[:, None] < M) & (cols[None, :] < N)
    offs = rows[:, None] * N + cols[None, :]
    s = tl.load(x_ptr + offs, mask=mask, other=0.0) + tl.load(r_ptr + offs, mask=mask, other=0.0)
    tl.store(s_ptr + offs, s, mask=mask)
    f = s.to(tl.float32)
    inv = tl.rsqrt(tl.sum(f * f, axis=1) * inv_n + eps)
    g = tl.load(w_ptr + cols, mask=cols < N, other=0.0).to(tl.float32) + 1.0
    y = f * inv[:, None] * g[None, :]
    tl.store(y_ptr + offs, y, mask=mask)


class ModelNew(nn.Module):
    def __init__(self, hidden_size: int, eps: float = 1e-6):
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(hidden_size))
        self.eps = eps
        self._key = None

    @torch.no_grad()
    def forward(self, x, residual):
        x = x.contiguous()
        residual = residual.contiguous()
        N = x.size(-1)
        M = x.numel() // N
        key = (x.shape, x.dtype, x.device)
        if self._key != key:
            # no allocations in the steady state
            self._key = key
            self._y, self._s = torch.empty_like(x), torch.empty_like(x)
        y, s = self._y, self._s
        BM = 4
        _norm_tile[(triton.cdiv(M, BM),)](x, residual, self.weight, y, s, M, N, 1.0 / N, self.eps,
                                            BM=BM, BN=triton.next_power_of_2(N))
        return y, s
