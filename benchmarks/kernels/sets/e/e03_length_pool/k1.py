import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """Ragged loop: touches only the valid steps."""

    def __init__(self, dim, out_dim):
        super().__init__()
        self.proj = nn.Linear(2 * dim, out_dim)

    def forward(self, x, lengths):
        D = x.shape[2]
        rows = []
        for b, n in enumerate(lengths.tolist()):
            if n == 0:
                rows.append(x.new_zeros(2 * D))
                continue
            seg = x[b, :n]
            rows.append(torch.cat([seg.mean(0), seg.amax(0)]))
        feat = torch.stack(rows)
        return torch.addmm(self.proj.bias, feat, self.proj.weight.t())
