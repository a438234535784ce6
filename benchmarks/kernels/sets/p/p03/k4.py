"""GAT aggregation, flash style: running max / running sum per destination node."""
import torch
import triton
import triton.language as tl


@triton.jit
def _flash_gat(x_ptr, logit_ptr, indptr_ptr, idx_ptr, out_ptr, lse_ptr, D, stride_x,
               BLOCK_E: tl.constexpr, BLOCK_D: tl.constexpr):
    pid = tl.program_id(0)
    lo = tl.load(indptr_ptr + pid)
    hi = tl.load(indptr_ptr + pid + 1)
    cols = tl.arange(0, BLOCK_D)
    if lo == hi:
        tl.store(out_ptr + pid * D + cols, tl.zeros([BLOCK_D], tl.float16), mask=cols < D)
        tl.store(lse_ptr + pid, float("-inf"))
    else:
        m = tl.full((), float("-inf"), tl.float32)
        l = tl.full((), 0.0, tl.float32)
        acc = tl.zeros([BLOCK_D], tl.float32)
        offs = tl.arange(0, BLOCK_E)
        for s in range(lo, hi, BLOCK_E):
            mask = (s + offs) < hi
            z = tl.load(logit_ptr + s + offs, mask=mask, other=float("-inf"))
            j = tl.load(idx_ptr + s + offs, mask=mask, other=0)
            m_new = tl.maximum(m, tl.max(z, axis=0))
            p = tl.exp(z - m_new)
            scale = tl.exp(m - m_new)
            v = tl.load(x_ptr + j[:, None] * stride_x + cols[None, :],
                        mask=mask[:, None] & (cols[None, :] < D), other=0.0)
            acc = acc * scale + tl.sum(p[:, None] * v.to(tl.float32), axis=0)
            l = l * scale + tl.sum(p, axis=0)
            m = m_new
        tl.store(out_ptr + pid * D + cols, (acc / l).to(tl.float16), mask=cols < D)
        tl.store(lse_ptr + pid, m + tl.log(l))


def custom_kernel(data):
    x, logits, indptr, indices = (t.contiguous() for t in data)
    n_dst = indptr.shape[0] - 1
    dim = x.shape[1]
    out = torch.empty(n_dst, dim, dtype=torch.float16, device=x.device)
    lse = torch.empty(n_dst, dtype=torch.float32, device=x.device)
    if n_dst > 0:
        _flash_gat[(n_dst,)](x, logits, indptr, indices, out, lse, dim, x.stride(0),
                             BLOCK_E=32, BLOCK_D=triton.next_power_of_2(dim))
    return out, lse
