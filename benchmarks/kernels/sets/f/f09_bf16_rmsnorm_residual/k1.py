import torch
from task import input_t, output_t

ROWS = 6


def custom_kernel(data: input_t) -> output_t:
    x, residual, weight, eps = data
    out = torch.empty(x.shape, dtype=x.dtype)
    new_res = torch.empty(x.shape, dtype=x.dtype)
    w = weight.float()
    for i in range(0, x.shape[0], ROWS):
        h = torch.add(x[i:i + ROWS].float(), residual[i:i + ROWS].float())
        new_res[i:i + ROWS] = h
        ms = torch.linalg.vecdot(h, h).div_(h.shape[1]).unsqueeze(-1)
        out[i:i + ROWS] = h.mul_((ms + eps).rsqrt_()).mul_(w)
    return out, new_res
