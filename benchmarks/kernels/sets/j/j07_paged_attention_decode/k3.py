import torch
import triton
import triton.language as tl

PART = 32


@triton.jit
def split_part(q_ptr, k_ptr, v_ptr, bt_ptr, len_ptr, po_ptr, pm_ptr, pl_ptr, scale, H, HK, D, BS, MAXB, NP,
               PART: tl.constexpr, BD: tl.constexpr):
    s = tl.program_id(0)
    h = tl.program_id(1)
    part = tl.program_id(2)
    hk = h * HK // H
    n = tl.load(len_ptr + s)
    t = part * PART + tl.arange(0, PART)
    d = tl.arange(0, BD)
    ok = t < n
    slot = (s * H + h) * NP + part
    if part * PART < n:
        q = tl.load(q_ptr + (s * H + h) * D + d, mask=d < D, other=0.0)
        page = tl.load(bt_ptr + s * MAXB + t // BS, mask=ok, other=0)
        off = ((page * BS + t % BS) * HK + hk)[:, None] * D + d[None, :]
        km = ok[:, None] & (d[None, :] < D)
        k = tl.load(k_ptr + off, mask=km, other=0.0)
        sc = tl.sum(k * q[None, :], axis=1) * scale
        sc = tl.where(ok, sc, -float("inf"))
        m = tl.max(sc, axis=0)
        p = tl.exp(sc - m)
        v = tl.load(v_ptr + off, mask=km, other=0.0)
        tl.store(pm_ptr + slot, m)
        tl.store(pl_ptr + slot, tl.sum(p, axis=0))
        tl.store(po_ptr + slot * D + d, tl.sum(p[:, None] * v, axis=0), mask=d < D)


@triton.jit
def split_join(po_ptr, pm_ptr, pl_ptr, len_ptr, o_ptr, H, D, NP, PART: tl.constexpr,
               BP: tl.constexpr, BD: tl.constexpr):
    s = tl.program_id(0)
    row = s * H + tl.program_id(1)
    n = tl.load(len_ptr + s)
    i = tl.arange(0, BP)
    d = tl.arange(0, BD)
    ok = i < tl.cdiv(n, PART)
    m = tl.load(pm_ptr + row * NP + i, mask=ok, other=-float("inf"))
    l = tl.load(pl_ptr + row * NP + i, mask=ok, other=0.0)
    w = tl.exp(m - tl.max(m, axis=0))
    o = tl.load(po_ptr + (row * NP + i[:, None]) * D + d[None, :], mask=ok[:, None] & (d[None, :] < D), other=0.0)
    tl.store(o_ptr + row * D + d, tl.sum(o * w[:, None], axis=0) / tl.sum(l * w, axis=0), mask=d < D)


def custom_kernel(data):
    q, k_cache, v_cache, block_tables, context_lens = (t.contiguous() for t in data[:5])
    scale = data[5]
    S, H, D = q.shape
    _, BS, HK, _ = k_cache.shape
    NP = triton.cdiv(block_tables.shape[1] * BS, PART)
    po = torch.empty(S, H, NP, D, device=q.device)
    pm = torch.empty(S, H, NP, device=q.device)
    pl = torch.empty(S, H, NP, device=q.device)
    out = torch.empty_like(q)
    BD = triton.next_power_of_2(D)
    split_part[(S, H, NP)](q, k_cache, v_cache, block_tables, context_lens, po, pm, pl, scale,
                           H, HK, D, BS, block_tables.shape[1], NP, PART=PART, BD=BD)
    split_join[(S, H)](po, pm, pl, context_lens, out, H, D, NP, PART=PART,
                       BP=triton.next_power_of_2(NP), BD=BD)
    return out
