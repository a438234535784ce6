import torch


def generate_input(m: int, k: int, group: int, seed: int):
    gen = torch.Generator().manual_seed(seed)
    x = torch.randn(m, k, generator=gen).half()
    return x, group


def ref_kernel(data):
    x, group = data
    m, k = x.shape
    xf = x.float().reshape(m, k // group, group)
    lo = xf.amin(-1).clamp(max=0.0)
    hi = xf.amax(-1).clamp(min=0.0)
    scale = ((hi - lo) / 15.0).half()
    scale = torch.where(scale == 0, torch.ones_like(scale), scale)
    sf = scale.float()
    zero = torch.round(-lo / sf).clamp(0, 15)
    q = (torch.round(xf / sf.unsqueeze(-1)) + zero.unsqueeze(-1)).clamp(0, 15)
    q = q.to(torch.int64).reshape(m, k // 8, 8)
    packed = (q << (4 * torch.arange(8))).sum(-1)
    packed = torch.where(packed >= 2 ** 31, packed - 2 ** 32, packed).to(torch.int32)
    return packed, scale, zero.to(torch.uint8)


def check_implementation(data, output):
    ref = ref_kernel(data)
    for name, a, b in zip(("packed", "scale", "zero"), ref, output):
        if a.shape != b.shape or a.dtype != b.dtype or not torch.equal(a, b):
            return False, f"{name} differs"
    return True, ""
