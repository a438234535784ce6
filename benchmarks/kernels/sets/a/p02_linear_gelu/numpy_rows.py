import math

import numpy as np
import torch
import torch.nn as nn

_erfc = np.vectorize(math.erfc, otypes=[np.float64])


class ModelNew(nn.Module):
    def __init__(self, in_features, out_features):
        super().__init__()
        self.linear = nn.Linear(in_features, out_features)

    def forward(self, x):
        xn = x.detach().numpy()
        w = self.linear.weight.detach().numpy()
        b = self.linear.bias.detach().numpy()
        out = np.empty((xn.shape[0], w.shape[0]), dtype=np.float32)
        for r in range(xn.shape[0]):
            z = (w * xn[r]).sum(axis=1, dtype=np.float64) + b
            out[r] = 0.5 * z * _erfc(-z * 0.7071067811865476)
        return torch.from_numpy(out)
