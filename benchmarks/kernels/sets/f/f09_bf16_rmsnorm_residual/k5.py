import torch
from task import input_t, output_t

LANES = 16


def custom_kernel(data: input_t) -> output_t:
    x, residual, weight, eps = data
    h = x.float() + residual.float()
    n, d = h.shape
    sq = h * h
    main = d // LANES * LANES
    acc = torch.zeros(n, LANES)
    for j in range(0, main, LANES):
        acc += sq[:, j:j + LANES]
    if main < d:
        acc[:, :d - main] += sq[:, main:]
    while acc.shape[1] > 1:
        half = acc.shape[1] // 2
        acc = acc[:, :half] + acc[:, half:]
    inv = 1.0 / torch.sqrt(acc / d + eps)
    return (h * (inv * weight.float()[None, :])).bfloat16(), h.bfloat16()
