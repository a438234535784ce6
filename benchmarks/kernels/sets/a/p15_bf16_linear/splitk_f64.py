import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, in_features, out_features):
        super().__init__()
        self.linear = nn.Linear(in_features, out_features, dtype=torch.bfloat16)

    def forward(self, x):
        w = self.linear.weight.double()
        xd = x.double()
        parts = [xc @ wc.t() for xc, wc in zip(xd.chunk(5, dim=1), w.chunk(5, dim=1))]
        total = torch.stack(parts).sum(dim=0) + self.linear.bias.double()
        return total.to(torch.bfloat16)
