import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def gated_rmsnorm_kernel(x_ptr, z_ptr, w_ptr, out_ptr, n_cols, group_size, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    group = tl.program_id(1)
    offs = tl.arange(0, BLOCK)
    mask = offs < group_size
    col = group * group_size + offs
    x = tl.load(x_ptr + row * n_cols + col, mask=mask, other=0.0).to(tl.float32)
    z = tl.load(z_ptr + row * n_cols + col, mask=mask, other=0.0).to(tl.float32)
    y = x * (z * tl.sigmoid(z))
    y = y * tl.rsqrt(tl.sum(y * y, axis=0) / group_size + eps)
    w = tl.load(w_ptr + col, mask=mask, other=0.0).to(tl.float32)
    tl.store(out_ptr + row * n_cols + col, (y * w).to(out_ptr.dtype.element_ty), mask=mask)


class ModelNew(nn.Module):
    def __init__(self, hidden_size: int, n_groups: int, eps: float = 1e-5):
        super().__init__()
        self.hidden_size = hidden_size
        self.n_groups = n_groups
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(hidden_size))

    def forward(self, x, z):
        x = x.contiguous()
        z = z.contiguous()
        out = torch.empty_like(x)
        h = x.shape[-1]
        gs = h // self.n_groups
        rows = x.numel() // h
        if rows > 0:
            gated_rmsnorm_kernel[(rows, self.n_groups)](
                x, z, self.weight, out, h, gs, self.eps, BLOCK=triton.next_power_of_2(gs))
        return out
