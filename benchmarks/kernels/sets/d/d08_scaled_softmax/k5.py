import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def softmax_kernel(x_ptr, out_ptr, n_rows, n_cols, stride_r, stride_c, scale, ROWS: tl.constexpr, COLS: tl.constexpr):
    r = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    c = tl.arange(0, COLS)
    mask = (r[:, None] < n_rows) & (c[None, :] < n_cols)
    x = tl.load(x_ptr + r[:, None] * stride_r + c[None, :] * stride_c, mask=mask, other=0.0)
    # rows past the end keep zeros: they are never stored
    x = tl.where(c[None, :] < n_cols, x * scale, -float("inf"))
    x = x - tl.max(x, axis=1)[:, None]
    e = tl.exp(x)
    y = e / tl.sum(e, axis=1)[:, None]
    tl.store(out_ptr + r[:, None] * n_cols + c[None, :], y, mask=mask)


class ModelNew(nn.Module):
    """Several short rows per program; reads any strides."""

    def __init__(self, scale: float):
        super().__init__()
        self.scale = scale

    def forward(self, x):
        assert x.is_cuda
        n_rows, n_cols = x.shape
        out = torch.empty((n_rows, n_cols), device=x.device, dtype=x.dtype)
        COLS = triton.next_power_of_2(n_cols)
        ROWS = 4
        grid = (triton.cdiv(n_rows, ROWS),)
        softmax_kernel[grid](x, out, n_rows, n_cols, x.stride(0), x.stride(1), self.scale, ROWS=ROWS, COLS=COLS)
        return out
