import torch
import triton
import triton.language as tl


@triton.jit
def topk_softmax(x_ptr, w_ptr, id_ptr, cnt_ptr, E, K, RENORM: tl.constexpr, BE: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, BE)
    x = tl.load(x_ptr + row * E + c, mask=c < E, other=-float("inf")).to(tl.float32)
    ex = tl.exp(x - tl.max(x, axis=0))
    prob = ex / tl.sum(ex, axis=0)
    work = tl.where(c < E, prob, -1.0)
    total = 0.0
    for i in range(0, K):
        at = tl.argmax(work, axis=0)
        p = tl.max(work, axis=0)
        total += p
        tl.store(w_ptr + row * K + i, p)
        tl.store(id_ptr + row * K + i, at.to(tl.int64))
        tl.atomic_add(cnt_ptr + at, 1)
        work = tl.where(c == at, -1.0, work)
    if RENORM:
        for i in range(0, K):
            tl.store(w_ptr + row * K + i, tl.load(w_ptr + row * K + i) / total)



def custom_kernel(data):
    logits, k, renorm = data
    logits = logits.contiguous()
    n, e = logits.shape
    weights = torch.empty(n, k, dtype=logits.dtype, device=logits.device)
    ids = torch.empty(n, k, dtype=torch.int64, device=logits.device)
    counts = torch.zeros(e, dtype=torch.int64, device=logits.device)
    topk_softmax[(n,)](logits, weights, ids, counts, e, k, RENORM=renorm, BE=triton.next_power_of_2(e))
    return weights, ids, counts
