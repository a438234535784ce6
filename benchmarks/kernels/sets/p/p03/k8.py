"""GAT aggregation with early exit for isolated nodes."""
import torch
import triton
import triton.language as tl


@triton.jit
def _gat(x_ptr, logit_ptr, indptr_ptr, idx_ptr, out_ptr, lse_ptr, D,
         BLOCK_E: tl.constexpr, BLOCK_D: tl.constexpr):
    row = tl.program_id(0)
    start = tl.load(indptr_ptr + row)
    end = tl.load(indptr_ptr + row + 1)
    if end > start:
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
            base = tl.where(m_new > float("-inf"), m_new, 0.0)
            p = tl.exp(lg - base)
            a = tl.exp(m_i - base)
            f = tl.load(x_ptr + src[:, None] * D + d[None, :],
                        mask=em[:, None] & (d[None, :] < D), other=0.0).to(tl.float32)
            acc = acc * a + tl.sum(p[:, None] * f, 0)
            l_i = l_i * a + tl.sum(p, 0)
            m_i = m_new
        z = tl.where(l_i > 0, l_i, 1.0)
        tl.store(out_ptr + row * D + d, (acc / z).to(tl.float16), mask=d < D)
        tl.store(lse_ptr + row, m_i + tl.log(z))


def custom_kernel(data):
    x, logits, indptr, indices = (t.contiguous() for t in data)
    m, d = indptr.numel() - 1, x.shape[1]
    out = torch.empty((m, d), dtype=torch.float16, device=x.device)
    lse = torch.empty((m,), dtype=torch.float32, device=x.device)
    if m:
        _gat[(m,)](x, logits, indptr, indices, out, lse, d, BLOCK_E=32, BLOCK_D=triton.next_power_of_2(d))
    return out, lse
