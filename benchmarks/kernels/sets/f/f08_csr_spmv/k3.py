import numpy as np
import torch
from task import input_t, output_t


def custom_kernel(data: input_t) -> output_t:
    indptr, indices, values, x = (t.numpy() for t in data)
    prod = np.append(values * np.take(x, indices), 0.0)
    return torch.from_numpy(np.add.reduceat(prod, indptr[:-1]))
