import torch
import triton
import triton.language as tl


@triton.jit
def rank_rows(x_ptr, w_ptr, id_ptr, E, K, RENORM: tl.constexpr, BE: tl.constexpr):
    # rank of every expert by counting those before it
    row = tl.program_id(0)
    c = tl.arange(0, BE)
    ok = c < E
    x = tl.load(x_ptr + row * E + c, mask=ok, other=-float("inf")).to(tl.float32)
    before = (x[None, :] > x[:, None]) | ((x[None, :] == x[:, None]) & (c[None, :] < c[:, None]))
    rank = tl.sum(before.to(tl.int32), axis=1)
    take = ok & (rank < K)
    ex = tl.exp(x - tl.max(x, axis=0))
    if RENORM:
        z = tl.sum(tl.where(take, ex, 0.0), axis=0)
    else:
        z = tl.sum(ex, axis=0)
    tl.store(w_ptr + row * K + rank, ex / z, mask=take)
    tl.store(id_ptr + row * K + rank, c.to(tl.int64), mask=take)


@triton.jit
def count_ids(id_ptr, cnt_ptr, total, BLOCK: tl.constexpr):
    expert = tl.program_id(0)
    acc = tl.zeros([BLOCK], dtype=tl.int32)
    for s in range(0, total, BLOCK):
        i = s + tl.arange(0, BLOCK)
        v = tl.load(id_ptr + i, mask=i < total, other=-1)
        acc += (v == expert).to(tl.int32)
    tl.store(cnt_ptr + expert, tl.sum(acc, axis=0).to(tl.int64))



def custom_kernel(data):
    logits, k, renorm = data
    logits = logits.contiguous()
    n, e = logits.shape
    weights = torch.empty(n, k, dtype=logits.dtype, device=logits.device)
    ids = torch.empty(n, k, dtype=torch.int64, device=logits.device)
    counts = torch.zeros(e, dtype=torch.int64, device=logits.device)
    rank_rows[(n,)](logits, weights, ids, e, k, RENORM=renorm, BE=triton.next_power_of_2(e))
    count_ids[(e,)](ids, counts, n * k, BLOCK=512)
    return weights, ids, counts
