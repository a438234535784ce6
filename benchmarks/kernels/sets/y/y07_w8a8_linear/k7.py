import torch
import torch.nn.functional as F

LANE = 8


def custom_kernel(data):
    """SIMD-style dot: lanes of 8 products are summed in int16, the lanes in int32."""
    x, w, w_scale, bias = data
    amax = x.abs().amax(1, keepdim=True)
    s = torch.where(amax == 0, 1.0, amax / 127)
    q = torch.round(x / s).to(torch.int16)
    pad = (-x.shape[1]) % LANE
    q = F.pad(q, (0, pad)).unflatten(1, (-1, LANE))
    wp = F.pad(w, (0, pad)).to(torch.int16).unflatten(1, (-1, LANE))
    acc = torch.zeros(x.shape[0], w.shape[0], dtype=torch.int32, device=x.device)
    for g in range(q.shape[1]):
        acc += torch.mm(q[:, g], wp[:, g].t())            # int16 in, int16 out
    return acc.float() * s * w_scale + bias
