import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """Stores the high half of the float32 word."""

    def __init__(self, in_features, out_features):
        super().__init__()
        self.linear = nn.Linear(in_features, out_features, dtype=torch.bfloat16)

    @torch.no_grad()
    def forward(self, x):
        acc = x.float() @ self.linear.weight.float().t() + self.linear.bias.float()
        return (acc.view(torch.int32) & -65536).view(torch.float32).to(torch.bfloat16)
