import torch
import triton
import triton.language as tl


@triton.jit
def gate_topk(x_ptr, w_ptr, id_ptr, N, E, K, LOG2E, RENORM: tl.constexpr, BR: tl.constexpr, BE: tl.constexpr):
    r = tl.program_id(0) * BR + tl.arange(0, BR)
    c = tl.arange(0, BE)
    rm = r < N
    x = tl.load(x_ptr + r[:, None] * E + c[None, :], mask=rm[:, None] & (c[None, :] < E), other=-float("inf"))
    x = x.to(tl.float32)
    first = tl.where(rm, tl.max(x, axis=1), 0.0)
    z = tl.sum(tl.exp2((x - first[:, None]) * LOG2E), axis=1)
    if RENORM:
        z = tl.zeros([BR], dtype=tl.float32)
    work = x
    for i in range(0, K):
        at = tl.argmax(work, axis=1, tie_break_left=True)
        best = tl.max(work, axis=1)
        p = tl.exp2((best - first) * LOG2E)
        if RENORM:
            z += p
        tl.store(w_ptr + r * K + i, p, mask=rm)
        tl.store(id_ptr + r * K + i, at.to(tl.int64), mask=rm)
        work = tl.where(work == best[:, None], -float("inf"), work)
    inv = 1.0 / tl.where(rm, z, 1.0)
    for i in range(0, K):
        p = tl.load(w_ptr + r * K + i, mask=rm, other=0.0)
        tl.store(w_ptr + r * K + i, p * inv, mask=rm)



def custom_kernel(data):
    logits, k, renorm = data
    logits = logits.contiguous()
    n, e = logits.shape
    weights = torch.empty(n, k, dtype=logits.dtype, device=logits.device)
    ids = torch.empty(n, k, dtype=torch.int64, device=logits.device)
    BR = 16
    gate_topk[(triton.cdiv(n, BR),)](logits, weights, ids, n, e, k, 1.4426950408889634, RENORM=renorm,
                                       BR=BR, BE=triton.next_power_of_2(e))
    counts = torch.bincount(ids.view(-1), minlength=e)
    return weights, ids, counts
