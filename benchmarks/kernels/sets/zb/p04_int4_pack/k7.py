import torch


def custom_kernel(data):
    x, group = data
    m, k = x.shape
    xf = x.float().reshape(m, k // group, group)
    lo = xf.amin(-1).clamp(max=0.0)
    hi = xf.amax(-1).clamp(min=0.0)
    scale = ((hi - lo) / 15.0).clamp_min(1e-7).half()
    sf = scale.float()
    zero = torch.round(-lo / sf).clamp(0, 15)
    q = (torch.round(xf / sf[..., None]) + zero[..., None]).clamp(0, 15).to(torch.int32)
    q = q.reshape(m, k // 8, 8)
    shifts = torch.arange(0, 32, 4, dtype=torch.int32)
    packed = torch.bitwise_left_shift(q, shifts).sum(-1, dtype=torch.int32)
    return packed, scale, zero.to(torch.uint8)
