import torch


def custom_kernel(data):
    w, g = data
    R, C = w.shape
    x = w.reshape(R, C // g, g).float()
    lo = torch.clamp(x.amin(dim=-1), max=0)
    hi = torch.clamp(x.amax(dim=-1), min=0)
    span = hi - lo
    dead = span == 0
    scale = (span.clamp(min=1e-5) / 15).to(torch.float16)
    scale[dead] = 1.0
    s = scale.float()
    zero = (-lo / s).round().clamp(0, 15)
    q = ((x / s[:, :, None]).round() + zero[:, :, None]).clamp(0, 15)
    q = q.view(R, C).to(torch.uint8)
    even, odd = q[:, ::2], q[:, 1::2]
    return torch.bitwise_or(even, torch.bitwise_left_shift(odd, 4)), scale, zero.to(torch.uint8)
