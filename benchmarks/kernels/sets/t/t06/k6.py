"""Each code is shifted inside a 32-bit word and spread over the bytes it touches."""
import torch


def custom_kernel(data):
    values, width, delta = data
    R, N = values.shape
    nb = (N * width + 7) // 8
    v = values.to(torch.int32)
    if delta:
        d = v.clone()
        d[:, 1:] = v[:, 1:] - v[:, :-1]
        v = (d << 1) ^ (d >> 31)
    v = v.to(torch.int64) & ((1 << width) - 1)
    start = torch.arange(N) * width
    word = (v << (start % 8)) & 0xFFFFFFFF
    out = torch.zeros(R, nb + 4, dtype=torch.int64)
    for j in range(4):
        out.index_add_(1, start // 8 + j, (word >> (8 * j)) & 255)
    return out[:, :nb].to(torch.uint8)
