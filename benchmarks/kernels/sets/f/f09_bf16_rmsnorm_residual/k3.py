import torch
from task import input_t, output_t


def custom_kernel(data: input_t) -> output_t:
    x, residual, weight, eps = data
    h = x.float() + residual.float()
    var = h.pow(2).mean(-1, keepdim=True)
    normed = (h * torch.rsqrt(var + eps)).to(x.dtype)
    return weight * normed, h.to(x.dtype)
