import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def _kernel(x_ptr, z_ptr, w_ptr, y_ptr, rstd_ptr, GS, NG, eps, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    m = c < GS
    p = pid * GS + c
    z = tl.load(z_ptr + p, mask=m, other=0.0).to(tl.float32)
    u = tl.load(x_ptr + p, mask=m, other=0.0).to(tl.float32) * z * tl.sigmoid(z)
    rstd = tl.rsqrt(tl.sum(u * u, 0) / GS + eps)
    w = tl.load(w_ptr + (pid % NG) * GS + c, mask=m, other=0.0)
    tl.store(y_ptr + p, (u * rstd * w).to(y_ptr.dtype.element_ty), mask=m)
    tl.store(rstd_ptr + pid, rstd)


class _Fused(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, z, weight, ng, eps):
        x, z = x.contiguous(), z.contiguous()
        gs = x.shape[-1] // ng
        n = x.numel() // gs
        y = torch.empty_like(x)
        rstd = torch.empty(n, device=x.device, dtype=torch.float32)
        _kernel[(n,)](x, z, weight, y, rstd, gs, ng, eps, BLOCK=triton.next_power_of_2(gs))
        ctx.save_for_backward(x, z, weight, rstd)
        ctx.ng = ng
        return y

    @staticmethod
    def backward(ctx, grad):
        x, z, weight, rstd = ctx.saved_tensors
        ng = ctx.ng
        gs = x.shape[-1] // ng
        xf = x.float().view(-1, ng, gs)
        zf = z.float().view(-1, ng, gs)
        go = grad.float().reshape(-1, ng, gs)
        rstd = rstd.view(-1, ng, 1)
        sig = zf.sigmoid()
        silu = zf * sig
        xhat = xf * silu * rstd
        gw = (go * xhat).sum(dim=0).flatten()
        gxhat = go * weight.view(ng, gs)
        gu = rstd * (gxhat - xhat * (gxhat * xhat).sum(-1, keepdim=True) / x.shape[-1])
        gx = gu * silu
        gz = gu * xf * sig * (1.0 + zf * (1.0 - sig))
        return (gx.view_as(x).to(x.dtype), gz.view_as(z).to(z.dtype), gw.to(weight.dtype), None, None)


class ModelNew(nn.Module):
    def __init__(self, hidden_size: int, n_groups: int, eps: float = 1e-5):
        super().__init__()
        self.hidden_size = hidden_size
        self.n_groups = n_groups
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(hidden_size))

    def forward(self, x, z):
        return _Fused.apply(x, z, self.weight, self.n_groups, self.eps)
