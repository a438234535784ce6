import torch
import triton
import triton.language as tl


@triton.jit
def _per_segment(V, I, S, A, M, N, D, sv0, sv1, BR: tl.constexpr, BD: tl.constexpr):
    seg = tl.program_id(0)
    d = tl.program_id(1) * BD + tl.arange(0, BD)
    acc = tl.zeros([BD], tl.float64)
    top = tl.full([BD], float("-inf"), tl.float32)
    n = 0
    for r0 in range(0, N, BR):
        r = r0 + tl.arange(0, BR)
        mine = tl.load(I + r, mask=r < N, other=-1) == seg
        m = mine[:, None] & (d < D)[None, :]
        v = tl.load(V + r[:, None] * sv0 + d[None, :] * sv1, mask=m, other=0.0)
        acc += tl.sum(v.to(tl.float64), 0)
        top = tl.maximum(top, tl.max(tl.where(m, v, float("-inf")), 0))
        n += tl.sum(mine.to(tl.int32), 0)
    o = seg * D + d
    tl.store(S + o, acc.to(tl.float32), mask=d < D)
    tl.store(A + o, (acc / tl.maximum(n, 1).to(tl.float64)).to(tl.float32), mask=d < D)
    tl.store(M + o, top, mask=d < D)


def custom_kernel(data):
    values, ids, segments = data
    N, D = values.shape
    s, a, m = (torch.empty(segments, D, dtype=torch.float32) for _ in range(3))
    BD = 16
    _per_segment[(segments, triton.cdiv(D, BD))](values, ids.contiguous(), s, a, m, N, D,
                                                 *values.stride(), BR=128, BD=BD)
    return s, a, m
