import torch


def custom_kernel(data):
    w, g = data
    R, C = w.shape
    x = w.reshape(R, C // g, g)
    zero_h = torch.zeros((), dtype=w.dtype)
    lo = torch.minimum(x.amin(-1), zero_h).float()
    hi = torch.maximum(x.amax(-1), zero_h).float()
    scale = ((hi - lo) / 15).to(torch.float16)
    scale = scale + (scale == 0).to(torch.float16)
    s = scale.double()
    zero = torch.round(lo.double().neg() / s).clamp(0, 15)
    q = torch.round(x.double() / s[..., None]).add(zero[..., None]).clamp(0, 15)
    q = q.to(torch.uint8).reshape(R, C)
    packed = q[:, 0::2].bitwise_or(q[:, 1::2].bitwise_left_shift(4))
    return packed.contiguous(), scale, zero.to(torch.uint8)
