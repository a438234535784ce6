"""GAT aggregation for skewed graphs: every neighbourhood is split over SPLITS programs which leave
(max, sum, unnormalised row) behind; a second kernel merges them."""
import torch
import triton
import triton.language as tl


@triton.jit
def _partial(x_ptr, logit_ptr, indptr_ptr, idx_ptr, pm_ptr, pl_ptr, pa_ptr, D,
             SPLITS: tl.constexpr, BLOCK_E: tl.constexpr, BLOCK_D: tl.constexpr):
    row = tl.program_id(0)
    sp = tl.program_id(1)
    start = tl.load(indptr_ptr + row)
    end = tl.load(indptr_ptr + row + 1)
    per = (end - start + SPLITS - 1) // SPLITS
    lo = start + sp * per
    hi = tl.minimum(lo + per, end)
    d = tl.arange(0, BLOCK_D)
    e = tl.arange(0, BLOCK_E)
    m = tl.full((), -1.0e38, tl.float32)
    l = tl.full((), 0.0, tl.float32)
    acc = tl.zeros([BLOCK_D], tl.float32)
    for s in range(lo, hi, BLOCK_E):
        em = s + e < hi
        z = tl.load(logit_ptr + s + e, mask=em, other=float("-inf"))
        j = tl.load(idx_ptr + s + e, mask=em, other=0).to(tl.int64)
        m_new = tl.maximum(m, tl.max(z, 0))          # finite even if the whole chunk is masked
        a = tl.exp(m - m_new)
        p = tl.exp(z - m_new)
        f = tl.load(x_ptr + j[:, None] * D + d[None, :],
                    mask=em[:, None] & (d[None, :] < D), other=0.0).to(tl.float32)
        acc = acc * a + tl.sum(p[:, None] * f, 0)
        l = l * a + tl.sum(p, 0)
        m = m_new
    slot = row * SPLITS + sp
    tl.store(pm_ptr + slot, m)
    tl.store(pl_ptr + slot, l)
    tl.store(pa_ptr + slot.to(tl.int64) * D + d, acc, mask=d < D)


@triton.jit
def _merge(pm_ptr, pl_ptr, pa_ptr, out_ptr, lse_ptr, D, SPLITS: tl.constexpr, BLOCK_D: tl.constexpr):
    row = tl.program_id(0)
    k = tl.arange(0, SPLITS)
    d = tl.arange(0, BLOCK_D)
    m = tl.load(pm_ptr + row * SPLITS + k)
    l = tl.load(pl_ptr + row * SPLITS + k)
    top = tl.max(m, 0)
    w = tl.exp(m - top)
    z = tl.sum(w * l, 0)
    a = tl.load(pa_ptr + (row * SPLITS + k)[:, None] * D + d[None, :], mask=(d < D)[None, :], other=0.0)
    num = tl.sum(w[:, None] * a, 0)
    ok = z > 0
    zs = tl.where(ok, z, 1.0)
    tl.store(out_ptr + row * D + d, (num / zs).to(tl.float16), mask=d < D)
    tl.store(lse_ptr + row, tl.where(ok, top + tl.log(zs), float("-inf")))


def custom_kernel(data):
    x, logits, indptr, indices = (t.contiguous() for t in data)
    m, d = indptr.numel() - 1, x.shape[1]
    dev = x.device
    out = torch.empty((m, d), dtype=torch.float16, device=dev)
    lse = torch.empty((m,), dtype=torch.float32, device=dev)
    if m == 0:
        return out, lse
    S = 4
    pm = torch.empty((m, S), dtype=torch.float32, device=dev)
    pl = torch.empty((m, S), dtype=torch.float32, device=dev)
    pa = torch.empty((m, S, d), dtype=torch.float32, device=dev)
    bd = triton.next_power_of_2(d)
    _partial[(m, S)](x, logits, indptr, indices, pm, pl, pa, d, SPLITS=S, BLOCK_E=16, BLOCK_D=bd)
    _merge[(m,)](pm, pl, pa, out, lse, d, SPLITS=S, BLOCK_D=bd)
    return out, lse
