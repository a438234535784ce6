import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, in_features, out_features):
        super().__init__()
        self.linear = nn.Linear(in_features, out_features)
        self._wt = None

    def forward(self, x):
        if self._wt is None:
            self._wt = self.linear.weight.detach().t().contiguous().clone()
        z = torch.zeros(x.shape[0], self._wt.shape[1]) + self.linear.bias
        for p in range(0, x.shape[1], 32):
            z = z + x[:, p:p + 32] @ self._wt[p:p + 32]
        return 0.5 * z * (1.0 + torch.erf(z * 0.7071067811865476))
