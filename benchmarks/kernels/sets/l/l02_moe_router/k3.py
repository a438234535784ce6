import torch
import triton
import triton.language as tl


@triton.jit
def _route(x_ptr, w_ptr, i_ptr, c_ptr, T, E, sx, se, K: tl.constexpr, KP: tl.constexpr, BT: tl.constexpr, BE: tl.constexpr):
    rt = tl.program_id(0) * BT + tl.arange(0, BT)
    re = tl.arange(0, BE)
    mt = rt < T
    me = re < E
    x = tl.load(x_ptr + rt[:, None] * sx + re[None, :] * se, mask=mt[:, None] & me[None, :], other=float("-inf"))
    free = tl.broadcast_to(me[None, :], (BT, BE))
    rk = tl.arange(0, KP)
    top = tl.max(x, 1)
    exps = tl.zeros((BT, KP), dtype=tl.float32)
    for j in range(K):
        m = tl.max(tl.where(free, x, float("-inf")), 1)
        hit = free & (x == m[:, None])
        a = tl.min(tl.where(hit, re[None, :], BE), 1)
        e = tl.where(mt, tl.exp(m - tl.where(mt, top, 0.0)), 0.0)
        exps = tl.where((rk == j)[None, :], e[:, None], exps)
        tl.store(i_ptr + rt * K + j, a.to(tl.int64), mask=mt)
        tl.atomic_add(c_ptr + a, tl.full((BT,), 1, tl.int64), mask=mt)
        free = free & (re[None, :] != a[:, None])
    s = tl.where(mt, tl.sum(exps, 1), 1.0)
    tl.store(w_ptr + rt[:, None] * K + rk[None, :], exps / s[:, None], mask=mt[:, None] & (rk < K)[None, :])


def custom_kernel(data):
    logits, k = data
    T, E = logits.shape
    dev = logits.device
    w = torch.empty((T, k), dtype=torch.float32, device=dev)
    i = torch.empty((T, k), dtype=torch.int64, device=dev)
    c = torch.zeros((E,), dtype=torch.int64, device=dev)
    if T == 0:
        return w, i, c
    _route[(triton.cdiv(T, 16),)](logits, w, i, c, T, E, logits.stride(0), logits.stride(1), K=k,
                                  KP=triton.next_power_of_2(k), BT=16, BE=triton.next_power_of_2(E))
    return w, i, c
