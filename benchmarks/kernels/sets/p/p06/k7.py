import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def _norm_gate_kernel(x_ptr, z_ptr, w_ptr, y_ptr, r_ptr, gs, ng, eps, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < gs
    offs = pid * gs + cols
    x = tl.load(x_ptr + offs, mask=mask, other=0.0).to(tl.float32)
    z = tl.load(z_ptr + offs, mask=mask, other=0.0).to(tl.float32)
    h = x * z * tl.sigmoid(z)
    r = tl.rsqrt(tl.sum(h * h, axis=0) / BLOCK + eps)
    w = tl.load(w_ptr + (pid % ng) * gs + cols, mask=mask, other=0.0).to(tl.float32)
    tl.store(y_ptr + offs, (h * r * w).to(y_ptr.dtype.element_ty), mask=mask)
    tl.store(r_ptr + pid, r)


class _NormGate(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, z, w, ng, eps):
        x, z = x.contiguous(), z.contiguous()
        gs = x.shape[-1] // ng
        n = x.numel() // gs
        y = torch.empty_like(x)
        r = torch.empty(n, dtype=torch.float32, device=x.device)
        _norm_gate_kernel[(n,)](x, z, w, y, r, gs, ng, eps, BLOCK=triton.next_power_of_2(gs))
        ctx.save_for_backward(x, z, w, r)
        ctx.ng = ng
        return y

    @staticmethod
    def backward(ctx, gy):
        x, z, w, r = ctx.saved_tensors
        ng = ctx.ng
        v = (-1, ng, x.shape[-1] // ng)
        xf, zf, g, r = x.float().view(v), z.float().view(v), gy.float().reshape(v), r.view(-1, ng, 1)
        s = torch.sigmoid(zf)
        a = zf * s
        n = xf * a * r
        gw = (g * n).sum(0).view(-1).to(w.dtype)
        g = g * w.view(ng, -1)
        gu = r * (g - n * (g * n).mean(-1, keepdim=True))
        return ((gu * a).view_as(x).to(x.dtype), (gu * xf * (s + a * (1 - s))).view_as(z).to(z.dtype),
                gw, None, None)


class ModelNew(nn.Module):
    def __init__(self, hidden_size: int, n_groups: int, eps: float = 1e-5):
        super().__init__()
        self.hidden_size = hidden_size
        self.n_groups = n_groups
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(hidden_size))

    def forward(self, x, z):
        return _NormGate.apply(x, z, self.weight, self.n_groups, self.eps)
