import torch


def custom_kernel(data):
    """int8 weights as two 4-bit planes, w = 16 * hi + lo; both products are exact in float32 for k <= 8192."""
    x, w, w_scale, bias = data
    amax = x.abs().amax(dim=1, keepdim=True)
    s = torch.where(amax == 0, 1.0, amax / 127.0)
    q = torch.round(x / s)
    hi = torch.bitwise_right_shift(w, 4)              # -8 .. 7
    lo = torch.bitwise_and(w, 15)                     # 0 .. 15
    planes = q @ torch.cat([hi, lo]).float().t()
    a_hi, a_lo = planes.split(w.shape[0], dim=1)
    acc = a_hi.to(torch.int32) * 16 + a_lo.to(torch.int32)
    return acc.float() * s * w_scale[None] + bias[None]
