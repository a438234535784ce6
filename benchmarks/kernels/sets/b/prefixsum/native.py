import torch


def custom_kernel(data):
    wide = data.to(torch.float64)
    out = wide.cumsum(0)
    return out.to(torch.float32)
