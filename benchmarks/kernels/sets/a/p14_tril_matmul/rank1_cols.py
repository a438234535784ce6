import numpy as np
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """C += A[k:, k] outer B[k, :k+1]: column k of A starts at row k, row k of B ends at k."""

    def __init__(self):
        super().__init__()

    def forward(self, A, B):
        a, b = A.detach().numpy(), B.detach().numpy()
        n = a.shape[0]
        c = np.zeros((n, n), dtype=np.float32)
        for k in range(n):
            c[k:, :k + 1] += np.multiply.outer(a[k:, k], b[k, :k + 1])
        return torch.from_numpy(c)
