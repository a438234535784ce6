import torch


def generate_input(rows, n, width, seed, delta=0):
    g = torch.Generator().manual_seed(seed)
    hi = min(2 ** width, 2 ** 20)
    values = torch.randint(0, hi, (rows, n), generator=g, dtype=torch.int64)
    if delta:
        values = torch.randint(0, max(2, hi // 2), (rows, n), generator=g, dtype=torch.int64)
    return values.to(torch.int32), width, delta


def ref_kernel(data):
    values, width, delta = data
    R, N = values.shape
    v = values.to(torch.int64)
    if delta and N > 0:
        d = v.clone()
        d[:, 1:] = v[:, 1:] - v[:, :-1]
        d = ((d + 2 ** 31) % 2 ** 32) - 2 ** 31          # 32-bit wrap
        v = (d << 1) ^ (d >> 63)                         # zigzag: 0, -1, 1, -2, ... -> 0, 1, 2, 3, ...
    bits = (v[:, :, None] >> torch.arange(width)) & 1
    bits = bits.reshape(R, N * width)
    nbytes = (N * width + 7) // 8
    full = torch.zeros(R, nbytes * 8, dtype=torch.int64)
    full[:, : N * width] = bits
    return (full.view(R, nbytes, 8) << torch.arange(8)).sum(-1).to(torch.uint8)
