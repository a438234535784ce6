import torch
import triton
import triton.language as tl


@triton.jit
def topk_gating(x_ptr, w_ptr, id_ptr, cnt_ptr, E, K, RENORM: tl.constexpr, BE: tl.constexpr, BK: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, BE)
    j = tl.arange(0, BK)
    x = tl.load(x_ptr + row * E + c, mask=c < E, other=0.0).to(tl.float32)
    top = tl.max(x, axis=0)
    free = c < BE
    denom = tl.sum(tl.exp(x - top), axis=0)
    w = tl.zeros([BK], dtype=tl.float32)
    chosen = 0.0
    for i in range(0, K):
        # the largest logit still free, then the lowest id which has it
        best = tl.max(tl.where(free, x, -float("inf")), axis=0)
        at = tl.min(tl.where(free & (x == best), c, BE), axis=0)
        free = free & (c != at)
        p = tl.exp(best - top)
        chosen += p
        w = tl.where(j == i, p, w)
        tl.store(id_ptr + row * K + i, at)
        tl.atomic_add(cnt_ptr + at, 1, mask=at < E)
    if RENORM:
        w = w / chosen
    else:
        w = w / denom
    tl.store(w_ptr + row * K + j, w, mask=j < K)



def custom_kernel(data):
    logits, k, renorm = data
    logits = logits.contiguous()
    n, e = logits.shape
    weights = torch.empty(n, k, dtype=logits.dtype, device=logits.device)
    ids = torch.empty(n, k, dtype=torch.int64, device=logits.device)
    counts = torch.zeros(e, dtype=torch.int64, device=logits.device)
    topk_gating[(n,)](logits, weights, ids, counts, e, k, RENORM=renorm,
                BE=triton.next_power_of_2(e), BK=triton.next_power_of_2(k))
    return weights, ids, counts
