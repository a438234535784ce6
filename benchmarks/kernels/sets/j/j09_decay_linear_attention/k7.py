import torch
import triton
import triton.language as tl


@triton.jit
def fused_recurrent(q_ptr, k_ptr, v_ptr, g_ptr, h0_ptr, o_ptr, ht_ptr, scale, T, K, V,
              BK: tl.constexpr, BV: tl.constexpr):
    bh = tl.program_id(0)
    kk = tl.arange(0, BK)
    vv = tl.program_id(1) * BV + tl.arange(0, BV)
    km = kk < K
    vm = vv < V
    so = bh * K * V + kk[:, None] * V + vv[None, :]
    sm = km[:, None] & vm[None, :]
    S = tl.load(h0_ptr + so, mask=sm, other=0.0).to(tl.float32)
    for t in range(0, T):
        i = bh * T + t
        k = tl.load(k_ptr + i * K + kk, mask=km, other=0.0)
        v = tl.load(v_ptr + i * V + vv, mask=vm, other=0.0)
        q = tl.load(q_ptr + i * K + kk, mask=km, other=0.0) * scale
        S = (S + k[:, None] * v[None, :]) * tl.exp(tl.load(g_ptr + i))
        tl.store(o_ptr + i * V + vv, tl.sum(q[:, None] * S, axis=0), mask=vm)
    tl.store(ht_ptr + so, S, mask=sm)



def custom_kernel(data):
    q, k, v, g, h0 = (a.contiguous() for a in data)
    B, H, T, K = q.shape
    V = v.shape[-1]
    o = torch.empty_like(v)
    hT = torch.empty_like(h0)
    BV = 16
    fused_recurrent[(B * H, triton.cdiv(V, BV))](q, k, v, g, h0, o, hT, K ** -0.5, T, K, V,
                                           BK=triton.next_power_of_2(K), BV=BV)
    return o, hT
