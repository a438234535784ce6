import torch
import torch.nn as nn
import triton
import triton.language as tl

# Long groups are walked in fixed-size blocks (two passes); the backward pass recomputes the layer from
# its inputs under autograd instead of keeping intermediates.


@triton.jit
def _two_pass(x_ptr, z_ptr, w_ptr, y_ptr, GS, NG, eps, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    base = pid.to(tl.int64) * GS
    wbase = (pid % NG) * GS
    c = tl.arange(0, BLOCK)
    ss = tl.zeros([BLOCK], tl.float32)
    for s in range(0, GS, BLOCK):
        m = s + c < GS
        x = tl.load(x_ptr + base + s + c, mask=m, other=0.0).to(tl.float32)
        z = tl.load(z_ptr + base + s + c, mask=m, other=0.0).to(tl.float32)
        u = x * z * tl.sigmoid(z)
        ss += u * u
    r = tl.rsqrt(tl.sum(ss, 0) / GS + eps)
    for s in range(0, GS, BLOCK):
        m = s + c < GS
        x = tl.load(x_ptr + base + s + c, mask=m, other=0.0).to(tl.float32)
        z = tl.load(z_ptr + base + s + c, mask=m, other=0.0).to(tl.float32)
        w = tl.load(w_ptr + wbase + s + c, mask=m, other=0.0).to(tl.float32)
        y = x * z * tl.sigmoid(z) * r * w
        tl.store(y_ptr + base + s + c, y.to(y_ptr.dtype.element_ty), mask=m)


def _eager(x, z, w, ng, eps):
    u = x.float() * z.float() * torch.sigmoid(z.float())
    v = u.unflatten(-1, (ng, -1))
    v = v / torch.sqrt(v.square().mean(-1, keepdim=True) + eps)
    return (v.flatten(-2) * w.float()).to(x.dtype)


class _Recompute(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, z, w, ng, eps):
        ctx.save_for_backward(x, z, w)
        ctx.ng, ctx.eps = ng, eps
        xc, zc = x.contiguous(), z.contiguous()
        y = torch.empty_like(xc)
        gs = x.shape[-1] // ng
        n = xc.numel() // gs
        if n:
            _two_pass[(n,)](xc, zc, w.contiguous(), y, gs, ng, eps, BLOCK=32)
        return y

    @staticmethod
    def backward(ctx, gy):
        leaves = [t.detach().requires_grad_(need)
                  for t, need in zip(ctx.saved_tensors, ctx.needs_input_grad)]
        with torch.enable_grad():
            y = _eager(*leaves, ctx.ng, ctx.eps)
        wanted = [t for t in leaves if t.requires_grad]
        got = iter(torch.autograd.grad(y, wanted, gy))
        return tuple(next(got) if t.requires_grad else None for t in leaves) + (None, None)


class ModelNew(nn.Module):
    def __init__(self, hidden_size: int, n_groups: int, eps: float = 1e-5):
        super().__init__()
        self.hidden_size = hidden_size
        self.n_groups = n_groups
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(hidden_size))

    def forward(self, x, z):
        return _Recompute.apply(x, z, self.weight, self.n_groups, self.eps)
