import torch
import torch.nn as nn
import torch.nn.functional as F
import triton
import triton.language as tl


@triton.jit
def _scan_kernel(u_ptr, d_ptr, a_ptr, b_ptr, c_ptr, s_ptr, y_ptr, L, D, N, BD: tl.constexpr, BN: tl.constexpr):
    bi = tl.program_id(0)
    rd = tl.program_id(1) * BD + tl.arange(0, BD)
    rn = tl.arange(0, BN)
    md = rd < D
    mn = rn < N
    m2 = md[:, None] & mn[None, :]
    a = -tl.exp(tl.load(a_ptr + rd[:, None] * N + rn[None, :], mask=m2, other=0.0))
    skip = tl.load(s_ptr + rd, mask=md, other=0.0)
    h = tl.zeros((BD, BN), dtype=tl.float32)
    for t in range(0, L):
        row = bi * L + t
        u = tl.load(u_ptr + row * D + rd, mask=md, other=0.0)
        z = tl.load(d_ptr + row * D + rd, mask=md, other=0.0)
        e = tl.exp(-tl.abs(z))
        dt = tl.maximum(z, 0.0) + tl.where(e < 1e-4, e - 0.5 * e * e, tl.log(1.0 + e))
        b = tl.load(b_ptr + row * N + rn, mask=mn, other=0.0)
        c = tl.load(c_ptr + row * N + rn, mask=mn, other=0.0)
        h = tl.exp(dt[:, None] * a) * h + (dt * u)[:, None] * b[None, :]
        y = tl.sum(h * c[None, :], 1) + u * skip
        tl.store(y_ptr + row * D + rd, y, mask=md)


def _launch(u, delta, a_log, b, c, skip):
    u, delta, b, c = u.contiguous(), delta.contiguous(), b.contiguous(), c.contiguous()
    B, L, D = u.shape
    N = a_log.shape[1]
    y = torch.empty((B, L, D), dtype=torch.float32, device=u.device)
    if y.numel():
        _scan_kernel[(B, triton.cdiv(D, 16))](u, delta, a_log, b, c, skip, y, L, D, N, BD=16, BN=triton.next_power_of_2(N))
    return y


class _Scan(torch.autograd.Function):
    @staticmethod
    def forward(ctx, u, delta, a_log, b, c, skip):
        ctx.save_for_backward(u, delta, a_log, b, c, skip)
        return _launch(u, delta, a_log, b, c, skip)

    @staticmethod
    def backward(ctx, dy):
        u, delta, a_log, b, c, skip = ctx.saved_tensors
        a = -torch.exp(a_log)
        dt = F.softplus(delta)
        L = u.shape[1]
        h = torch.zeros(u.shape[0], u.shape[2], a.shape[1], dtype=u.dtype, device=u.device)
        hs = [h]
        for t in range(L):
            h = torch.exp(dt[:, t, :, None] * a) * h + (dt[:, t] * u[:, t])[..., None] * b[:, t, None]
            hs.append(h)
        du = dy * skip
        ddt, db, dc, da = torch.zeros_like(dt), torch.zeros_like(b), torch.zeros_like(c), torch.zeros_like(a)
        g = torch.zeros_like(h)
        for t in range(L - 1, -1, -1):
            dc[:, t] = (dy[:, t, :, None] * hs[t + 1]).sum(1)
            g = g + dy[:, t, :, None] * c[:, t, None]
            dec = torch.exp(dt[:, t, :, None] * a)
            gd = g * dec * hs[t]
            da += (gd * dt[:, t, :, None]).sum(0)
            gb = (g * b[:, t, None]).sum(-1)
            ddt[:, t] = (gd * a).sum(-1) + gb * u[:, t]
            du[:, t] += gb * dt[:, t]
            db[:, t] = (g * (dt[:, t] * u[:, t])[..., None]).sum(1)
            g = g * dec
        return du, ddt * torch.sigmoid(delta), da * a, db, dc, (dy * u).sum((0, 1))


_scan = _Scan.apply


class ModelNew(nn.Module):
    def __init__(self, channels, state):
        super().__init__()
        self.a_log = nn.Parameter(torch.log(torch.arange(1, state + 1).float()).repeat(channels, 1))
        self.skip = nn.Parameter(torch.ones(channels))

    def forward(self, u, delta, b, c):
        return _scan(u, delta, self.a_log, b, c, self.skip)
