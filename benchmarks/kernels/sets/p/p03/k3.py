"""GAT aggregation in two launches: logsumexp per node, then (node, feature tile) weighted sums."""
import torch
import triton
import triton.language as tl


@triton.jit
def _lse_kernel(logit_ptr, indptr_ptr, lse_ptr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    start = tl.load(indptr_ptr + row)
    end = tl.load(indptr_ptr + row + 1)
    offs = tl.arange(0, BLOCK)
    # pass 1: maximum, pass 2: sum
    mx = tl.full([BLOCK], float("-inf"), tl.float32)
    for s in range(start, end, BLOCK):
        mx = tl.maximum(mx, tl.load(logit_ptr + s + offs, mask=s + offs < end, other=float("-inf")))
    top = tl.max(mx, 0)
    shift = tl.where(top == float("-inf"), 0.0, top)
    tot = tl.zeros([BLOCK], tl.float32)
    for s in range(start, end, BLOCK):
        v = tl.load(logit_ptr + s + offs, mask=s + offs < end, other=float("-inf"))
        tot += tl.exp(v - shift)
    z = tl.sum(tot, 0)
    tl.store(lse_ptr + row, tl.where(z > 0, shift + tl.log(tl.where(z > 0, z, 1.0)), float("-inf")))


@triton.jit
def _agg_kernel(x_ptr, logit_ptr, indptr_ptr, idx_ptr, lse_ptr, out_ptr, D,
                BLOCK_E: tl.constexpr, BLOCK_D: tl.constexpr):
    row = tl.program_id(0)
    d = tl.program_id(1) * BLOCK_D + tl.arange(0, BLOCK_D)
    start = tl.load(indptr_ptr + row)
    end = tl.load(indptr_ptr + row + 1)
    lse = tl.load(lse_ptr + row)
    shift = tl.where(lse == float("-inf"), 0.0, lse)
    e = tl.arange(0, BLOCK_E)
    acc = tl.zeros([BLOCK_D], tl.float32)
    for s in range(start, end, BLOCK_E):
        em = s + e < end
        w = tl.exp(tl.load(logit_ptr + s + e, mask=em, other=float("-inf")) - shift)
        src = tl.load(idx_ptr + s + e, mask=em, other=0).to(tl.int64)
        f = tl.load(x_ptr + src[:, None] * D + d[None, :],
                    mask=em[:, None] & (d[None, :] < D), other=0.0)
        acc += tl.sum(w[:, None] * f.to(tl.float32), axis=0)
    tl.store(out_ptr + row * D + d, acc.to(tl.float16), mask=d < D)


def custom_kernel(data):
    x, logits, indptr, indices = (t.contiguous() for t in data)
    m, d = indptr.numel() - 1, x.shape[1]
    out = torch.empty((m, d), dtype=torch.float16, device=x.device)
    lse = torch.empty((m,), dtype=torch.float32, device=x.device)
    if m:
        _lse_kernel[(m,)](logits, indptr, lse, BLOCK=32)
        _agg_kernel[(m, triton.cdiv(d, 64))](x, logits, indptr, indices, lse, out, d, BLOCK_E=8, BLOCK_D=64)
    return out, lse
