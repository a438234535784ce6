import numpy as np
import torch
from task import input_t, output_t


def custom_kernel(data: input_t) -> output_t:
    indptr, indices, values, x = (t.numpy() for t in data)
    rows = indptr.size - 1
    owner = np.searchsorted(indptr, np.arange(values.size), side="right") - 1
    y = np.bincount(owner, weights=values * x[indices], minlength=rows)
    return torch.from_numpy(np.asarray(y, dtype=np.float64))
