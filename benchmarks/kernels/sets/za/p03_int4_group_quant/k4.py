import torch


def custom_kernel(data):
    w, g = data
    R, C = w.shape
    ng = C // g
    codes = torch.empty(R, C, dtype=torch.uint8)
    scales = torch.empty(R, ng, dtype=torch.float16)
    zeros = torch.empty(R, ng, dtype=torch.uint8)
    step = 256
    for r0 in range(0, R, step):
        r1 = min(R, r0 + step)
        rows = w[r0:r1].contiguous().float().view(-1, g)
        lo = rows.min(dim=1, keepdim=True).values
        hi = rows.max(dim=1, keepdim=True).values
        lo = torch.minimum(lo, torch.zeros_like(lo))
        hi = torch.maximum(hi, torch.zeros_like(hi))
        sc = ((hi - lo) / 15).half()
        sc[sc == 0] = 1
        sf = sc.float()
        z = torch.round(lo.abs() / sf).clamp(max=15)
        c = torch.round(rows / sf).to(torch.int32) + z.to(torch.int32)
        codes[r0:r1] = c.clamp(0, 15).view(r1 - r0, C).to(torch.uint8)
        scales[r0:r1] = sc.view(r1 - r0, ng)
        zeros[r0:r1] = z.view(r1 - r0, ng).to(torch.uint8)
    pair = codes.view(R, C // 2, 2).to(torch.int32)
    packed = (pair[..., 0] + 16 * pair[..., 1]).to(torch.uint8)
    return packed, scales, zeros
