import torch
from task import input_t, output_t


def custom_kernel(data: input_t) -> output_t:
    x, residual, weight, eps = data
    h = x.float() + residual.float()
    rms = torch.linalg.vector_norm(h, dim=-1, keepdim=True) * h.shape[-1] ** -0.5
    return (h / (rms + eps) * weight.float()).bfloat16(), h.bfloat16()
