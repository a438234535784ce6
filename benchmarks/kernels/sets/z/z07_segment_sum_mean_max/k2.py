import torch
import triton
import triton.language as tl


@triton.jit
def _scatter(V, I, S, C, M, N, D, sv0, sv1, BR: tl.constexpr, BD: tl.constexpr):
    r = tl.program_id(0) * BR + tl.arange(0, BR)
    d = tl.program_id(1) * BD + tl.arange(0, BD)
    seg = tl.load(I + r, mask=r < N, other=-1)
    live = seg >= 0
    m = live[:, None] & (d < D)[None, :]
    v = tl.load(V + r[:, None] * sv0 + d[None, :] * sv1, mask=m, other=0.0)
    o = seg[:, None] * D + d[None, :]
    tl.atomic_add(S + o, v, mask=m)
    tl.atomic_max(M + o, v, mask=m)
    if tl.program_id(1) == 0:
        tl.atomic_add(C + seg, tl.full([BR], 1.0, tl.float32), mask=live)


def custom_kernel(data):
    values, ids, segments = data
    N, D = values.shape
    ids = ids.contiguous()
    total = torch.zeros((segments, D), dtype=torch.float32)
    count = torch.zeros((segments,), dtype=torch.float32)
    top = torch.full((segments, D), float("-inf"))
    BR, BD = 64, 8
    if N:
        grid = (triton.cdiv(N, BR), triton.cdiv(D, BD))
        _scatter[grid](values, ids, total, count, top, N, D, *values.stride(), BR=BR, BD=BD)
    mean = total / torch.clamp(count, min=1.0).unsqueeze(1)
    return total, mean, top
