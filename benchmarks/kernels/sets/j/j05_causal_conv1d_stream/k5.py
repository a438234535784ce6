import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def causal_conv1d_fwd(x_ptr, s_ptr, w_ptr, b_ptr, y_ptr, ns_ptr, D, L,
                      W: tl.constexpr, BL: tl.constexpr, BW: tl.constexpr):
    bd = tl.program_id(0)
    d = bd % D
    t = tl.program_id(1) * BL + tl.arange(0, BL)
    acc = tl.zeros([BL], dtype=tl.float32) + tl.load(b_ptr + d)
    for j in tl.static_range(W):
        src = t + j - (W - 1)
        inside = (src >= 0) & (src < L)
        xv = tl.load(x_ptr + bd * L + src, mask=inside, other=0.0)
        acc += tl.load(w_ptr + d * W + j) * xv.to(tl.float32)
    tl.store(y_ptr + bd * L + t, acc * tl.sigmoid(acc), mask=t < L)
    if tl.program_id(1) == 0:
        k = tl.arange(0, BW)
        ok = k < W - 1
        p = L + k - (W - 1)
        from_x = tl.load(x_ptr + bd * L + p, mask=ok & (p >= 0), other=0.0)
        from_s = tl.load(s_ptr + bd * (W - 1) + p + (W - 1), mask=ok & (p < 0), other=0.0)
        tl.store(ns_ptr + bd * (W - 1) + k, tl.where(p >= 0, from_x, from_s), mask=ok)


class ModelNew(nn.Module):
    def __init__(self, dim: int, width: int = 4):
        super().__init__()
        self.width = width
        self.weight = nn.Parameter(torch.randn(dim, width) * 0.5)
        self.bias = nn.Parameter(torch.zeros(dim))

    @torch.no_grad()
    def forward(self, x, state):
        x, state = x.contiguous(), state.contiguous()
        B, D, L = x.shape
        y = torch.empty_like(x)
        new_state = torch.empty_like(state)
        BL = 64
        causal_conv1d_fwd[(B * D, triton.cdiv(L, BL))](
            x, state, self.weight, self.bias, y, new_state, D, L,
            W=self.width, BL=BL, BW=triton.next_power_of_2(self.width))
        return y, new_state
