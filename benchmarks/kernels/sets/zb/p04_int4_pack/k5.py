import torch


def custom_kernel(data):
    x, group = data
    m, k = x.shape
    n = k // group
    xf = x.float().contiguous().view(m, n, group)
    lo = torch.clamp(xf.min(dim=-1).values, max=0)
    hi = torch.clamp(xf.max(dim=-1).values, min=0)
    scale = ((hi - lo) / 15.0).half()
    scale = scale.masked_fill(scale == 0, 1.0)
    sf = scale.float()
    zero = torch.round(lo.neg() / sf).clamp(0, 15)
    q = torch.clamp(torch.round(xf / sf[..., None]) + zero[..., None], 0, 15).to(torch.uint8)
    q = q.view(m, k // 2, 2)
    by = (q[..., 0] | (q[..., 1] << 4)).contiguous()
    return by.view(torch.int32), scale, zero.to(torch.uint8)
