import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def _gn_kernel(x_ptr, w_ptr, b_ptr, y_ptr, mean_ptr, rstd_ptr, CG, HW, G, eps, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    n = CG * HW
    base = pid * n
    count = 0.0
    mean = 0.0
    m2 = 0.0
    for i0 in range(0, n, BLOCK):
        i = i0 + tl.arange(0, BLOCK)
        ok = i < n
        x = tl.load(x_ptr + base + i, mask=ok, other=0.0)
        k = tl.minimum(n - i0, BLOCK).to(tl.float32)
        mk = tl.sum(x, 0) / k
        d = tl.where(ok, x - mk, 0.0)
        delta = mk - mean
        total = count + k
        mean += delta * k / total
        m2 += tl.sum(d * d, 0) + delta * delta * count * k / total
        count = total
    rstd = tl.rsqrt(m2 / count + eps)
    for i0 in range(0, n, BLOCK):
        i = i0 + tl.arange(0, BLOCK)
        m = i < n
        c = (pid % G) * CG + i // HW
        z = (tl.load(x_ptr + base + i, mask=m, other=0.0) - mean) * rstd
        z = z * tl.load(w_ptr + c, mask=m, other=0.0) + tl.load(b_ptr + c, mask=m, other=0.0)
        tl.store(y_ptr + base + i, z / (1.0 + tl.exp(-z)), mask=m)
    tl.store(mean_ptr + pid, mean)
    tl.store(rstd_ptr + pid, rstd)


class _GN(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, w, b, G, eps):
        x = x.contiguous()
        N, C = x.shape[:2]
        HW = x[0, 0].numel()
        y = torch.empty_like(x)
        mean = torch.empty((N, G), dtype=torch.float32, device=x.device)
        rstd = torch.empty((N, G), dtype=torch.float32, device=x.device)
        _gn_kernel[(N * G,)](x, w, b, y, mean, rstd, C // G, HW, G, eps, BLOCK=128)
        ctx.save_for_backward(x, w, b, mean, rstd)
        return y

    @staticmethod
    def backward(ctx, dy):
        x, w, b, mean, rstd = ctx.saved_tensors
        N, C = x.shape[:2]
        G = mean.shape[1]
        xh = (x.reshape(N, G, -1) - mean.unsqueeze(-1)) * rstd.unsqueeze(-1)
        xh = xh.reshape(N, C, -1)
        z = xh * w[:, None] + b[:, None]
        s = torch.sigmoid(z)
        dz = dy.reshape(N, C, -1) * (s + z * s * (1 - s))
        dw = (dz * xh).sum((0, 2))
        db = dz.sum((0, 2))
        dh = (dz * w[:, None]).reshape(N, G, -1)
        xg = xh.reshape(N, G, -1)
        dx = (dh - dh.mean(-1, keepdim=True) - xg * (dh * xg).mean(-1, keepdim=True)) * rstd.unsqueeze(-1)
        return dx.reshape(x.shape), dw, db, None, None


_gn_silu = _GN.apply


class ModelNew(nn.Module):
    def __init__(self, channels, groups, eps):
        super().__init__()
        self.norm = nn.GroupNorm(groups, channels, eps=eps)

    def forward(self, x):
        return _gn_silu(x, self.norm.weight, self.norm.bias, self.norm.num_groups, self.norm.eps)
