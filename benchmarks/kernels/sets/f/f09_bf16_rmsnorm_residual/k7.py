import torch
from task import input_t, output_t


def custom_kernel(data: input_t) -> output_t:
    x, residual, weight, eps = data
    h = x.float() + residual.float()
    residual.copy_(h)
    h *= torch.rsqrt((h * h).mean(-1, keepdim=True) + eps)
    h *= weight.float()
    return h.bfloat16(), residual
