"""GAT aggregation: one program per destination, online softmax over edge chunks."""
import torch
import triton
import triton.language as tl


@triton.jit
def _gat_kernel(x_ptr, logit_ptr, indptr_ptr, idx_ptr, out_ptr, lse_ptr, D, sx,
                BLOCK_E: tl.constexpr, BLOCK_D: tl.constexpr):
    row = tl.program_id(0)
    start = tl.load(indptr_ptr + row)
    end = tl.load(indptr_ptr + row + 1)
    d = tl.arange(0, BLOCK_D)
    e = tl.arange(0, BLOCK_E)
    m_i = tl.full((), float("-inf"), tl.float32)
    l_i = tl.full((), 0.0, tl.float32)
    acc = tl.zeros([BLOCK_D], tl.float32)
    for s in range(start, end, BLOCK_E):
        em = s + e < end
        lg = tl.load(logit_ptr + s + e, mask=em, other=float("-inf"))
        src = tl.load(idx_ptr + s + e, mask=em, other=0)
        m_new = tl.maximum(m_i, tl.max(lg, 0))
        m_safe = tl.where(m_new == float("-inf"), 0.0, m_new)
        p = tl.exp(lg - m_safe)
        alpha = tl.exp(m_i - m_safe)
        feats = tl.load(x_ptr + src[:, None].to(tl.int64) * sx + d[None, :],
                        mask=em[:, None] & (d < D)[None, :], other=0.0).to(tl.float32)
        acc = acc * alpha + tl.sum(p[:, None] * feats, 0)
        l_i = l_i * alpha + tl.sum(p, 0)
        m_i = m_new
    live = l_i > 0
    denom = tl.where(live, l_i, 1.0)
    tl.store(out_ptr + row.to(tl.int64) * D + d, (acc / denom).to(tl.float16), mask=d < D)
    tl.store(lse_ptr + row, tl.where(live, m_i + tl.log(denom), float("-inf")))


def custom_kernel(data):
    x, logits, indptr, indices = data
    x = x if x.stride(1) == 1 else x.contiguous()
    m, d = indptr.numel() - 1, x.shape[1]
    out = torch.empty((m, d), dtype=torch.float16, device=x.device)
    lse = torch.empty((m,), dtype=torch.float32, device=x.device)
    if m:
        _gat_kernel[(m,)](x, logits.contiguous(), indptr.contiguous(), indices.contiguous(), out, lse,
                          d, x.stride(0), BLOCK_E=16, BLOCK_D=triton.next_power_of_2(d))
    return out, lse
