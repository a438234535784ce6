import torch

VEC = 8


def custom_kernel(data):
    """128-bit style loads: eight halves per lane, adds in float32, scalar tail."""
    a, b = data
    n = a.numel()
    out = torch.empty_like(a)
    body = n // VEC * VEC
    if body:
        va = a[:body].view(-1, VEC).float()
        vb = b[:body].view(-1, VEC).float()
        out[:body].view(-1, VEC).copy_((va + vb).half())
    for i in range(body, n):
        out[i] = a[i] + b[i]
    return out
