import torch
import torch.nn as nn
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


_scan = _launch


class ModelNew(nn.Module):
    def __init__(self, channels, state):
        super().__init__()
        self.a_log = nn.Parameter(torch.log(torch.arange(1, state + 1).float()).repeat(channels, 1))
        self.skip = nn.Parameter(torch.ones(channels))

    def forward(self, u, delta, b, c):
        return _scan(u, delta, self.a_log, b, c, self.skip)
