"""Each code is shifted to its offset inside a byte (up to 39 bits) and split into five byte contributions."""
import torch


def custom_kernel(data):
    values, width, delta = data
    R, N = values.shape
    nb = (N * width + 7) // 8
    v = values.to(torch.int64)
    if delta:
        d = v - torch.cat([torch.zeros_like(v[:, :1]), v[:, :-1]], 1)
        d = d.to(torch.int32)                            # keeps the low 32 bits
        v = ((d << 1) ^ (d >> 31)).to(torch.int64)
    v = v & ((1 << width) - 1)
    start = torch.arange(N) * width
    v = v << (start % 8)
    out = torch.zeros(R, nb + 5, dtype=torch.int64)
    for j in range(5):
        out.index_add_(1, start // 8 + j, (v >> (8 * j)) & 255)
    return out[:, :nb].to(torch.uint8)
