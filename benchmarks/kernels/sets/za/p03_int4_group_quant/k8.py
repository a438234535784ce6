import torch


def custom_kernel(data):
    w, g = data
    R, C = w.shape
    wf = w.to(torch.float32)
    idx = torch.arange(C, device=w.device).div(g, rounding_mode="floor")
    full = idx.unsqueeze(0).expand(R, C)
    lo = torch.zeros(R, C // g).scatter_reduce(1, full, wf, "amin", include_self=True)
    hi = torch.zeros(R, C // g).scatter_reduce(1, full, wf, "amax", include_self=True)
    scale = torch.div(hi - lo, 15.0).half()
    scale = torch.where(scale > 0, scale, torch.tensor(1.0, dtype=torch.float16))
    sf = scale.float()
    zero = torch.round(-lo / sf).clamp_(0, 15)
    q = torch.round(wf / sf[:, idx]) + zero[:, idx]
    q = q.clamp_(0, 15).to(torch.int64)
    packed = q.view(R, C // 2, 2) @ torch.tensor([1, 16])
    return packed.to(torch.uint8), scale, zero.to(torch.uint8)
