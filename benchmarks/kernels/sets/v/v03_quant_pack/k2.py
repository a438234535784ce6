import torch
import torch.nn.functional as F


def custom_kernel(data):
    x, group, bits = data
    rows, cols = x.shape
    qmax = float(2 ** (bits - 1) - 1)
    xg = F.pad(x, (0, -cols % group)).unflatten(1, (-1, group))
    mant, exp = torch.frexp(xg.abs().amax(-1))      # amax = mant * 2**exp, mant in [0.5, 1)
    # qmax = qm * 2**qe: amax <= qmax * 2**e  <=>  e >= exp - qe, plus one if mant > qm
    qm, qe = torch.frexp(torch.tensor(qmax))
    e = exp - qe + (mant > qm).int()
    scale = torch.where(mant == 0, torch.ones_like(mant), torch.ldexp(torch.ones_like(mant), e))
    q = torch.round(xg * (1.0 / scale)[..., None]).to(torch.int32).flatten(1)[:, :cols]
    per = 32 // bits
    q = F.pad(q & ((1 << bits) - 1), (0, -cols % per)).unflatten(1, (-1, per))
    packed = torch.zeros(q.shape[:2], dtype=torch.int32)
    for i in range(per):
        packed |= q[..., i] << (i * bits)
    return packed, scale
