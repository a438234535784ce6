import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, in_features, out_features):
        super().__init__()
        self.linear = nn.Linear(in_features, out_features, dtype=torch.bfloat16)

    def forward(self, x):
        xf, wf = x.float(), self.linear.weight.float()
        out = torch.empty(x.shape[0], wf.shape[0], dtype=torch.bfloat16)
        for i in range(0, x.shape[0], 7):
            out[i:i + 7] = (xf[i:i + 7] @ wf.t()).to(torch.bfloat16)
        return out
