"""Histogram of bytes.

data: uint8 tensor (size,), size >= 1, any values.
Result: int64 tensor (256,), counts[v] = number of i with data[i] == v.
"""
import torch


def generate_input(size, contention, seed):
    gen = torch.Generator()
    gen.manual_seed(seed)
    data = torch.randint(0, 256, (size,), generator=gen, dtype=torch.uint8)
    hot = torch.rand(size, generator=gen) < contention / 100.0
    value = torch.randint(0, 256, (1,), generator=gen, dtype=torch.uint8)
    return torch.where(hot, value, data).contiguous()


def ref_kernel(data):
    return torch.bincount(data, minlength=256)
