import torch
from task import input_t, output_t


def custom_kernel(data: input_t) -> output_t:
    x, residual, weight, eps = data
    res = x + residual
    h = res.float()
    inv = torch.rsqrt(h.square().mean(-1, keepdim=True) + eps)
    return (h * inv * weight.float()).to(x.dtype), res
