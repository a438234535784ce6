import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def _pool(x_ptr, sxn, sxd, off_ptr, q_ptr, t_ptr, out_ptr, lse_ptr, D, BN: tl.constexpr, BD: tl.constexpr):
    s = tl.program_id(0)
    a = tl.load(off_ptr + s)
    b = tl.load(off_ptr + s + 1)
    d = tl.arange(0, BD)
    dm = d < D
    n = a + tl.arange(0, BN)
    nm = n < b
    q = tl.load(q_ptr + d, mask=dm, other=0.0)
    t = tl.exp(tl.load(t_ptr))
    xt = tl.load(x_ptr + n[:, None] * sxn + d[None, :] * sxd, mask=nm[:, None] & dm[None, :], other=0.0)
    sc = tl.where(nm, tl.sum(xt * q[None, :], axis=1) * t, -float("inf"))
    m = tl.max(sc, axis=0)
    m = tl.where(b > a, m, 0.0)
    p = tl.exp(sc - m)
    l = tl.sum(p, axis=0)
    l1 = tl.where(b > a, l, 1.0)
    tl.store(out_ptr + s * D + d, tl.sum(p[:, None] * xt, axis=0) / l1, mask=dm)
    tl.store(lse_ptr + s, tl.where(b > a, m + tl.log(l1), -float("inf")))


class ModelNew(nn.Module):
    """One program per segment: the whole segment is held in registers, so x is read exactly once."""

    def __init__(self, dim):
        super().__init__()
        self.query = nn.Parameter(torch.randn(dim) / dim**0.5)
        self.log_temp = nn.Parameter(torch.zeros(()))

    @torch.no_grad()
    def forward(self, x, offsets):
        S, D = offsets.numel() - 1, x.shape[1]
        out = torch.empty(S, D, dtype=torch.float32, device=x.device)
        lse = torch.empty(S, dtype=torch.float32, device=x.device)
        _pool[(S,)](x, x.stride(0), x.stride(1), offsets.contiguous(), self.query.contiguous(), self.log_temp,
                    out, lse, D, BN=64, BD=triton.next_power_of_2(D))
        return out, lse
