import torch
import triton
import triton.language as tl


@triton.jit
def _route(x_ptr, w_ptr, i_ptr, c_ptr, T, E, sx, K: tl.constexpr, KP: tl.constexpr, BT: tl.constexpr, BE: tl.constexpr):
    rt = tl.program_id(0) * BT + tl.arange(0, BT)
    re = tl.arange(0, BE)
    mt = rt < T
    x = tl.load(x_ptr + rt[:, None] * sx + re[None, :], mask=mt[:, None] & (re < E)[None, :], other=0.0)
    rk = tl.arange(0, KP)
    vals = tl.zeros((BT, KP), dtype=tl.float32)
    for j in range(K):
        m = tl.max(x, 1)
        a = tl.argmax(x, 1)
        vals = tl.where((rk == j)[None, :], m[:, None], vals)
        tl.store(i_ptr + rt * K + j, a.to(tl.int64), mask=mt)
        tl.atomic_add(c_ptr + a, tl.full((BT,), 1, tl.int64), mask=mt & (a < E))
        x = tl.where(re[None, :] == a[:, None], float("-inf"), x)
    vals = tl.where((rk < K)[None, :], vals, float("-inf"))
    p = tl.exp(vals - tl.max(vals, 1)[:, None])
    p = p / tl.sum(p, 1)[:, None]
    tl.store(w_ptr + rt[:, None] * K + rk[None, :], p, mask=mt[:, None] & (rk < K)[None, :])


def custom_kernel(data):
    logits, k = data
    logits = logits.contiguous()
    T, E = logits.shape
    w = torch.empty((T, k), dtype=torch.float32, device=logits.device)
    i = torch.empty((T, k), dtype=torch.int64, device=logits.device)
    c = torch.zeros((E,), dtype=torch.int64, device=logits.device)
    _route[(triton.cdiv(T, 16),)](logits, w, i, c, T, E, logits.stride(0), K=k, KP=triton.next_power_of_2(k),
                                  BT=16, BE=triton.next_power_of_2(E))
    return w, i, c
