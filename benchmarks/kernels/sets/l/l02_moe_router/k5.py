import torch
import triton
import triton.language as tl


@triton.jit
def _topk_gate(x_ptr, w_ptr, i_ptr, c_ptr, T, E, K: tl.constexpr, BE: tl.constexpr):
    t = tl.program_id(0)
    re = tl.arange(0, BE)
    x = tl.load(x_ptr + t * E + re, mask=re < E, other=float("-inf"))
    top = tl.max(x, 0)
    denom = 0.0
    work = x
    for j in range(K):
        denom += tl.exp(tl.max(work, 0) - top)
        work = tl.where(work == tl.max(work, 0), float("-inf"), work)
    for j in range(K):
        m = tl.max(x, 0)
        a = tl.argmax(x, 0)
        tl.store(w_ptr + t * K + j, tl.exp(m - top) / denom)
        tl.store(i_ptr + t * K + j, a.to(tl.int64))
        tl.atomic_add(c_ptr + a, 1)
        x = tl.where(x == m, float("-inf"), x)


def custom_kernel(data):
    logits, k = data
    logits = logits.contiguous()
    T, E = logits.shape
    w = torch.empty((T, k), dtype=torch.float32, device=logits.device)
    i = torch.empty((T, k), dtype=torch.int64, device=logits.device)
    c = torch.zeros((E,), dtype=torch.int64, device=logits.device)
    _topk_gate[(T,)](logits, w, i, c, T, E, K=k, BE=triton.next_power_of_2(E))
    return w, i, c
