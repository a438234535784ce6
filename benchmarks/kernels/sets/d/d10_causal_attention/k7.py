import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def attn_rows(
    q_ptr, k_ptr, v_ptr, o_ptr, T, D, scale,
    BLOCK_M: tl.constexpr, BLOCK_T: tl.constexpr, BLOCK_D: tl.constexpr,
):
    head = tl.program_id(1)
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    cols = tl.arange(0, BLOCK_T)
    d = tl.arange(0, BLOCK_D)
    off = head * T * D
    q = tl.load(q_ptr + off + rows[:, None] * D + d[None, :], mask=(rows[:, None] < T) & (d[None, :] < D), other=0.0)
    kt = tl.load(k_ptr + off + cols[None, :] * D + d[:, None], mask=(cols[None, :] < T) & (d[:, None] < D), other=0.0)
    v = tl.load(v_ptr + off + cols[:, None] * D + d[None, :], mask=(cols[:, None] < T) & (d[None, :] < D), other=0.0)
    s = tl.dot(q, kt, input_precision="ieee") * scale
    # column 0 is visible to every row, so no row is empty; columns past T come after the diagonal of any real row
    s = tl.where(cols[None, :] <= rows[:, None], s, -float("inf"))
    s = s - tl.max(s, axis=1)[:, None]
    p = tl.exp(s)
    p = p / tl.sum(p, axis=1)[:, None]
    o = tl.dot(p, v, input_precision="ieee")
    tl.store(o_ptr + off + rows[:, None] * D + d[None, :], o, mask=(rows[:, None] < T) & (d[None, :] < D))


class ModelNew(nn.Module):
    """One program holds a block of query rows against all keys (short sequences)."""

    def __init__(self, head_dim: int):
        super().__init__()
        self.head_dim = head_dim

    def forward(self, q, k, v):
        q, k, v = q.contiguous(), k.contiguous(), v.contiguous()
        B, H, T, D = q.shape
        o = torch.empty_like(q)
        attn_rows[(triton.cdiv(T, 16), B * H)](
            q, k, v, o, T, D, self.head_dim ** -0.5,
            BLOCK_M=16, BLOCK_T=max(16, triton.next_power_of_2(T)), BLOCK_D=max(16, triton.next_power_of_2(D)),
        )
        return o
