import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """Graph by graph; each readout is a small matrix-vector product."""

    def __init__(self, dim: int):
        super().__init__()
        self.gate = nn.Linear(dim, 1, bias=False)

    def forward(self, x, ptr):
        bounds = ptr.tolist()
        w = self.gate.weight[0]
        rows = []
        for lo, hi in zip(bounds[:-1], bounds[1:]):
            if hi == lo:
                rows.append(x.new_zeros(x.shape[1]))
                continue
            xs = x[lo:hi]
            s = torch.mv(xs, w)
            rows.append(torch.mv(xs.t(), torch.softmax(s, dim=0)))
        if not rows:
            return x.new_zeros(0, x.shape[1])
        return torch.stack(rows)
