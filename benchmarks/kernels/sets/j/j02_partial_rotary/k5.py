import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def rope_apply(t_ptr, o_ptr, pos_ptr, inv_ptr, H, D, R,
             st_b, st_t, st_h, st_d, sp_b, sp_t, T,
             BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    h = pid % H
    t = (pid // H) % T
    b = pid // (H * T)
    src = t_ptr + b * st_b + t * st_t + h * st_h
    dst = o_ptr + pid * D
    d = tl.arange(0, BLOCK)
    mask = d < D
    rot = d < R
    half = R // 2
    first = d < half
    x = tl.load(src + d * st_d, mask=mask, other=0.0).to(tl.float32)
    partner = tl.where(first, d + half, d - half)
    y = tl.load(src + partner * st_d, mask=mask & rot, other=0.0).to(tl.float32)
    f = tl.where(first, d, d - half)
    inv = tl.load(inv_ptr + f, mask=mask & rot, other=0.0)
    pos = tl.load(pos_ptr + b * sp_b + t * sp_t).to(tl.float32)
    ang = pos * inv
    s = tl.sin(ang)
    res = x * tl.cos(ang) + tl.where(first, -y, y) * s
    tl.store(dst + d, tl.where(rot, res, x), mask=mask)


def run(t, positions, inv, R):
    B, T, H, D = t.shape
    out = torch.empty(t.shape, dtype=t.dtype, device=t.device)
    rope_apply[(B * T * H,)](t, out, positions, inv, H, D, R,
                           t.stride(0), t.stride(1), t.stride(2), t.stride(3),
                           positions.stride(0), positions.stride(1), T,
                           BLOCK=triton.next_power_of_2(D))
    return out


class RopeFn(torch.autograd.Function):
    @staticmethod
    def forward(ctx, t, positions, inv, R):
        ctx.save_for_backward(positions, inv)
        ctx.R = R
        return run(t, positions, inv, R)

    @staticmethod
    def backward(ctx, g):
        positions, inv = ctx.saved_tensors
        return run(g, positions, inv, ctx.R), None, None, None


class ModelNew(nn.Module):
    def __init__(self, head_dim: int, rotary_dim: int, base: float = 10000.0):
        super().__init__()
        self.head_dim = head_dim
        self.rotary_dim = rotary_dim
        self.base = base
        # not a parameter and not part of the state dict
        f = torch.arange(0, rotary_dim, 2, dtype=torch.float64) / rotary_dim
        self.register_buffer("inv", (base ** -f).float(), persistent=False)

    def forward(self, q, k, positions):
        inv = self.inv.to(q.device)
        return (RopeFn.apply(q, positions, inv, self.rotary_dim),
                RopeFn.apply(k, positions, inv, self.rotary_dim))
