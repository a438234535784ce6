import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """LU without pivoting; the factor overwrites the diagonal work array."""

    def forward(self, dl, d, du, b):
        n = d.shape[1]
        # batch as the last axis: unit stride in the inner loops
        lo = dl.t().contiguous()
        di = d.t().contiguous()
        up = du.t().contiguous()
        x = b.permute(1, 2, 0).contiguous()
        for i in range(1, n):
            f = lo[i] / di[i - 1]
            di[i] -= f * up[i - 1]
            x[i] -= f * x[i - 1]
        x[n - 1] /= di[n - 1]
        for i in range(n - 2, -1, -1):
            x[i] = (x[i] - up[i] * x[i + 1]) / di[i]
        return x.permute(2, 0, 1).contiguous()
