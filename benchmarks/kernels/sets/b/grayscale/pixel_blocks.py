import torch

BLOCK = 1024


def custom_kernel(data):
    h, w, _ = data.shape
    flat = data.reshape(-1)
    n = h * w
    out = torch.empty(n, dtype=torch.float32)
    for start in range(0, n, BLOCK):
        offs = torch.arange(start, min(start + BLOCK, n))
        r = flat[offs * 3]
        g = flat[offs * 3 + 1]
        b = flat[offs * 3 + 2]
        out[offs] = 0.2989 * r + 0.5870 * g + 0.1140 * b
    return out.view(h, w)
