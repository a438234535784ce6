import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def split_attn(q_ptr, k_ptr, v_ptr, len_ptr, o_ptr, lse_ptr,
               H, GROUP, T, D, WINDOW, CHUNK, scale, cap,
               BM: tl.constexpr, BN: tl.constexpr, BD: tl.constexpr, CAP: tl.constexpr):
    """Flash-decoding style: program (m, s, bh) does the s-th chunk of keys, the host merges the chunks."""
    m0 = tl.program_id(0) * BM
    sp = tl.program_id(1)
    bh = tl.program_id(2)
    b = bh // H
    kvh = b * (H // GROUP) + (bh % H) // GROUP
    r = m0 + tl.arange(0, BM)
    d = tl.arange(0, BD)
    qm = (r[:, None] < T) & (d[None, :] < D)
    q = tl.load(q_ptr + (bh * T + r[:, None]) * D + d[None, :], mask=qm, other=0.0)
    n = tl.minimum(T, tl.load(len_ptr + b).to(tl.int32))
    mx = tl.full((BM,), -1.0e30, tl.float32)
    den = tl.zeros((BM,), tl.float32)
    acc = tl.zeros((BM, BD), tl.float32)
    for c0 in range(sp * CHUNK, tl.minimum((sp + 1) * CHUNK, n), BN):
        c = c0 + tl.arange(0, BN)
        cm = (c < n) & (c < (sp + 1) * CHUNK)
        k = tl.load(k_ptr + (kvh * T + c[:, None]) * D + d[None, :], mask=cm[:, None] & (d[None, :] < D), other=0.0)
        v = tl.load(v_ptr + (kvh * T + c[:, None]) * D + d[None, :], mask=cm[:, None] & (d[None, :] < D), other=0.0)
        s = tl.dot(q, tl.trans(k), input_precision="ieee") * scale
        if CAP:
            s = cap * (2.0 / (1.0 + tl.exp(-2.0 * s / cap)) - 1.0)
        ok = cm[None, :] & (c[None, :] <= r[:, None]) & (c[None, :] + WINDOW > r[:, None])
        new = tl.maximum(mx, tl.max(tl.where(ok, s, -1.0e30), axis=1))
        e = tl.where(ok, tl.exp(s - new[:, None]), 0.0)
        f = tl.exp(mx - new)
        den = den * f + tl.sum(e, axis=1)
        acc = acc * f[:, None] + tl.dot(e, v, input_precision="ieee")
        mx = new
    base = (sp * tl.num_programs(2) + bh) * T + r
    tl.store(lse_ptr + base, tl.where(den > 0, mx + tl.log(tl.where(den > 0, den, 1.0)), float("-inf")), mask=r < T)
    tl.store(o_ptr + base[:, None] * D + d[None, :], acc / tl.where(den > 0, den, 1.0)[:, None], mask=qm)


class ModelNew(nn.Module):
    SPLITS = 3

    def __init__(self, num_heads, num_kv_heads, head_dim, window, softcap):
        super().__init__()
        self.num_heads = num_heads
        self.num_kv_heads = num_kv_heads
        self.head_dim = head_dim
        self.window = window
        self.softcap = softcap

    @torch.no_grad()
    def forward(self, q, k, v, lengths):
        B, H, T, D = q.shape
        if q.numel() == 0:
            return torch.zeros_like(q)
        S = self.SPLITS
        o = torch.zeros(S, B, H, T, D, device=q.device)
        lse = torch.full((S, B, H, T), float("-inf"), device=q.device)
        split_attn[(triton.cdiv(T, 16), S, B * H)](
            q.contiguous(), k.contiguous(), v.contiguous(), lengths.contiguous(), o, lse,
            H, H // self.num_kv_heads, T, D, self.window, triton.cdiv(T, S), D ** -0.5, float(self.softcap),
            BM=16, BN=16, BD=max(16, triton.next_power_of_2(D)), CAP=self.softcap > 0)
        top = lse.amax(dim=0, keepdim=True)
        w = torch.exp(lse - torch.where(torch.isinf(top), torch.zeros_like(top), top))
        den = w.sum(dim=0)
        out = (o * w.unsqueeze(-1)).sum(dim=0) / den.clamp_min(1e-30).unsqueeze(-1)
        return out
