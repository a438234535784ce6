import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def _attn(q_ptr, k_ptr, v_ptr, n_ptr, o_ptr, H, REP, T, L, D, W, scale, cap,
          BT: tl.constexpr, BN: tl.constexpr, BD: tl.constexpr):
    bh = tl.program_id(0)
    t0 = tl.program_id(1) * BT
    b = bh // H
    kvh = b * (H // REP) + (bh % H) // REP
    t = t0 + tl.arange(0, BT)
    d = tl.arange(0, BD)
    qm = (t[:, None] < T) & (d[None, :] < D)
    q = tl.load(q_ptr + (bh * T + t[:, None]) * D + d[None, :], mask=qm, other=0.0)
    first = W - 1 - tl.load(n_ptr + b)
    m = tl.full((BT,), -1.0e30, dtype=tl.float32)
    l = tl.zeros((BT,), dtype=tl.float32)
    acc = tl.zeros((BT, BD), dtype=tl.float32)
    hi = tl.minimum(L, t0 + BT + W - 1)
    for start in range(t0, hi, BN):
        j = start + tl.arange(0, BN)
        km = (j[:, None] < L) & (d[None, :] < D)
        off = (kvh * L + j[:, None]) * D + d[None, :]
        kt = tl.load(k_ptr + off, mask=km, other=0.0)
        vt = tl.load(v_ptr + off, mask=km, other=0.0)
        s = tl.sum(q[:, None, :] * kt[None, :, :], axis=2) * scale
        e2 = tl.exp(-2.0 * tl.abs(s) / cap)
        th = (1.0 - e2) / (1.0 + e2)
        s = cap * tl.where(s < 0, -th, th)
        ok = (j[None, :] >= t[:, None]) & (j[None, :] <= t[:, None] + W - 1) & (j[None, :] >= first)
        s = tl.where(ok, s, -1.0e30)
        mn = tl.maximum(m, tl.max(s, axis=1))
        p = tl.where(ok, tl.exp(s - mn[:, None]), 0.0)
        c = tl.exp(m - mn)
        l = l * c + tl.sum(p, axis=1)
        acc = acc * c[:, None] + tl.sum(p[:, :, None] * vt[None, :, :], axis=1)
        m = mn
    l = tl.where(t < T, l, 1.0)
    tl.store(o_ptr + (bh * T + t[:, None]) * D + d[None, :], acc / l[:, None], mask=qm)


class ModelNew(nn.Module):
    """Cache kept in torch, online-softmax attention in one Triton kernel."""

    def __init__(self, batch, n_q_heads, n_kv_heads, head_dim, window, softcap):
        super().__init__()
        self.rep = n_q_heads // n_kv_heads
        self.window = window
        self.softcap = float(softcap)
        self.scale = head_dim ** -0.5
        shape = (batch, n_kv_heads, window - 1, head_dim)
        self.register_buffer("k_cache", torch.zeros(shape), persistent=False)
        self.register_buffer("v_cache", torch.zeros(shape), persistent=False)
        self.register_buffer("n_valid", torch.zeros(batch, dtype=torch.int64), persistent=False)

    @torch.no_grad()
    def forward(self, q, k, v, reset):
        B, H, T, D = q.shape
        n = self.n_valid.masked_fill(reset, 0)
        kk = torch.cat((self.k_cache, k), 2).contiguous()
        vv = torch.cat((self.v_cache, v), 2).contiguous()
        L = kk.shape[2]
        out = torch.empty(B, H, T, D, device=q.device)
        BT = 16
        _attn[(B * H, triton.cdiv(T, BT))](
            q.contiguous(), kk, vv, n, out, H, self.rep, T, L, D, self.window,
            self.scale, self.softcap, BT=BT, BN=32, BD=triton.next_power_of_2(D))
        self.k_cache = kk[:, :, T:].clone()
        self.v_cache = vv[:, :, T:].clone()
        self.n_valid = (n + T).clamp_(max=self.window - 1)
        return out
