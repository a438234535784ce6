"""Blocks of eight elements make exactly `width` bytes: rows are padded to whole blocks and cut afterwards."""
import torch
import torch.nn.functional as F


def custom_kernel(data):
    values, width, delta = data
    R, N = values.shape
    nb = (N * width + 7) // 8
    v = F.pad(values, (0, -N % 8)).to(torch.int64)
    if delta:
        d = v - F.pad(v, (1, 0))[:, :-1]
        d = d.to(torch.int32).to(torch.int64)
        v = (d << 1) ^ (d >> 63)
    blocks = v.shape[1] // 8
    bits = (v.view(R, blocks, 8, 1) >> torch.arange(width)) & 1
    by = bits.reshape(R, blocks, width, 8) << torch.arange(8)
    return by.sum(-1).to(torch.uint8).reshape(R, blocks * width)[:, :nb].contiguous()
