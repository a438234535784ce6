import torch
import triton
import triton.language as tl


@triton.jit
def _scores(row_ptr, col_ptr, q_ptr, k_ptr, b_ptr, s_ptr, E, scale, slope, H, D,
            BE: tl.constexpr, BD: tl.constexpr):
    e = tl.program_id(0) * BE + tl.arange(0, BE)
    h = tl.program_id(1)
    me = e < E
    d = tl.arange(0, BD)
    m2 = me[:, None] & (d < D)[None, :]
    r = tl.load(row_ptr + e, mask=me, other=0)
    c = tl.load(col_ptr + e, mask=me, other=0)
    a = tl.load(q_ptr + (r * H + h)[:, None] * D + d[None, :], mask=m2, other=0.0)
    b = tl.load(k_ptr + (c * H + h)[:, None] * D + d[None, :], mask=m2, other=0.0)
    s = tl.sum(a * b, axis=1) * scale
    s = tl.where(s >= 0, s, slope * s) + tl.load(b_ptr + e * H + h, mask=me, other=0.0)
    tl.store(s_ptr + e * H + h, s, mask=me)


def custom_kernel(data):
    """Triton for the edge scores; rows are padded to the largest degree (ELL) for softmax and the weighted sum."""
    rowptr, col, q, k, v, bias, scale, slope = data
    N, H, D = q.shape
    E = col.numel()
    if E == 0:
        return torch.zeros_like(q)
    deg = (rowptr[1:] - rowptr[:-1]).long()
    row = torch.repeat_interleave(torch.arange(N, device=q.device, dtype=torch.int32), deg)
    s = torch.empty(E, H, device=q.device, dtype=torch.float32)
    _scores[(triton.cdiv(E, 64), H)](row, col, q.contiguous(), k.contiguous(), bias.contiguous(), s, E, scale, slope,
                                     H, D, BE=64, BD=triton.next_power_of_2(D))
    W = int(deg.max())
    slot = rowptr[:-1].long()[:, None] + torch.arange(W, device=q.device)
    live = torch.arange(W, device=q.device) < deg[:, None]
    slot = torch.where(live, slot, torch.zeros_like(slot))
    sp = s[slot].masked_fill(~live[..., None], -float("inf"))
    p = torch.nan_to_num(torch.softmax(sp, 1), nan=0.0)       # rows without a live edge
    return torch.einsum("nwh,nwhd->nhd", p, v[col.long()[slot]])
