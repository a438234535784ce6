import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def softmax_tile(x, y, M, N, sx, sc, inv_t, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    r = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)
    c = tl.arange(0, BLOCK).to(tl.int64)
    ok = (r[:, None] < M) & (c[None, :] < N)
    v = tl.load(x + r[:, None] * sx + c[None, :] * sc, mask=ok, other=float("-inf")) * inv_t
    v = tl.where(r[:, None] < M, v, 0.0)
    e = tl.exp(v - tl.max(v, axis=1)[:, None])
    e = tl.where(c[None, :] < N, e, 0.0)
    tl.store(y + r[:, None] * N + c[None, :], e / tl.sum(e, axis=1)[:, None], mask=ok)


class ModelNew(nn.Module):
    def __init__(self, temperature):
        super().__init__()
        self.temperature = temperature

    def forward(self, x):
        N = x.shape[-1]
        x2 = x.reshape(-1, N)
        M = x2.shape[0]
        y = torch.empty((M, N), device=x.device, dtype=x.dtype)
        block = triton.next_power_of_2(N)
        rows = 4 if block <= 2048 else 1
        softmax_tile[(triton.cdiv(M, rows),)](x2, y, M, N, x2.stride(0), x2.stride(1), 1.0 / self.temperature,
                                              ROWS=rows, BLOCK=block)
        return y.reshape(x.shape)
