import torch


def custom_kernel(data):
    w, g = data
    R, C = w.shape
    n = C // g
    x = w.float().reshape(R * n, g)
    lo = x.amin(1).clamp(max=0)
    hi = x.amax(1).clamp(min=0)
    scale = ((hi - lo) / 15).to(torch.float16)
    scale = torch.where(scale == 0, torch.ones((), dtype=torch.float16), scale)
    s = scale.float()
    zero = torch.round(-lo / s).clamp(0, 15)
    packed = torch.zeros(R * n, g // 2, dtype=torch.uint8)
    for j in range(g // 2):
        a = (torch.round(x[:, 2 * j] / s) + zero).clamp(0, 15).to(torch.uint8)
        b = (torch.round(x[:, 2 * j + 1] / s) + zero).clamp(0, 15).to(torch.uint8)
        packed[:, j] = a | (b << 4)
    return packed.view(R, n * (g // 2)), scale.view(R, n), zero.to(torch.uint8).view(R, n)
