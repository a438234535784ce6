import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """Uses the half precision path for the operands, float32 accumulate."""

    def __init__(self, in_features, out_features):
        super().__init__()
        self.linear = nn.Linear(in_features, out_features, dtype=torch.bfloat16)

    def forward(self, x):
        xh = x.to(torch.float16)
        wh = self.linear.weight.to(torch.float16)
        acc = torch.zeros(x.shape[0], wh.shape[0])
        for k in range(0, x.shape[1], 256):
            acc = acc + xh[:, k:k + 256].float() @ wh[:, k:k + 256].float().t()
        return (acc + self.linear.bias.float()).to(torch.bfloat16)
