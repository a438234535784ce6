import torch
from task import input_t, output_t


def custom_kernel(data: input_t) -> output_t:
    indptr, indices, values, x = data
    prod = values * x.index_select(0, indices)
    pre = torch.zeros(prod.numel() + 1, dtype=torch.float64)
    torch.cumsum(prod, 0, out=pre[1:])
    return pre[indptr[1:]] - pre[indptr[:-1]]
