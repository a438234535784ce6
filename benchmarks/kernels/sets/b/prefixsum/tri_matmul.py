import numpy as np
import torch

T = 64


def custom_kernel(data):
    """Scan as products with a triangle of ones: rows, then row sums, then add."""
    x = data.numpy().astype(np.float64)
    n = x.size
    rows = -(-n // T)
    p = np.zeros(rows * T)
    p[:n] = x
    p = p.reshape(rows, T)
    tri = np.triu(np.ones((T, T)))
    inner = p @ tri
    carry = 0.0
    for r in range(rows):
        last = inner[r, -1]
        inner[r] += carry
        carry += last
    return torch.from_numpy(inner.reshape(-1)[:n].astype(np.float32))
