import torch


def generate_input(rows: int, cols: int, group_size: int, seed: int):
    gen = torch.Generator().manual_seed(seed)
    w = torch.randn(rows, cols, generator=gen) * 0.05
    w = w * (1 + 4 * torch.rand(rows, 1, generator=gen))
    return w.to(torch.float16), group_size


def ref_kernel(data):
    w, g = data
    R, C = w.shape
    x = w.float().reshape(R, C // g, g)
    lo = x.amin(-1).clamp(max=0)
    hi = x.amax(-1).clamp(min=0)
    scale = ((hi - lo) / 15).to(torch.float16)
    scale = torch.where(scale == 0, torch.ones_like(scale), scale)
    s = scale.float()
    zero = torch.round(-lo / s).clamp(0, 15)
    q = torch.round(x / s.unsqueeze(-1)) + zero.unsqueeze(-1)
    q = q.clamp(0, 15).reshape(R, C).to(torch.uint8)
    packed = q[:, 0::2] | (q[:, 1::2] << 4)
    return packed, scale, zero.to(torch.uint8)


def check_implementation(data, output):
    names = ("packed", "scale", "zero")
    for name, a, b in zip(names, output, ref_kernel(data)):
        if a.shape != b.shape or a.dtype != b.dtype:
            return f"{name}: shape or dtype mismatch"
        if not torch.equal(a, b):
            return f"{name}: {int((a != b).sum())} elements differ"
    return ""
