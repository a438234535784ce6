import numpy as np
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, kernel_size, stride, padding):
        super().__init__()
        self.cfg = (kernel_size, stride, padding)

    def forward(self, x):
        k, s, p = self.cfg
        a = np.pad(x.detach().numpy(), ((0, 0), (0, 0), (p, p), (p, p)), constant_values=-np.inf)
        win = np.lib.stride_tricks.sliding_window_view(a, (k, k), axis=(2, 3))[:, :, ::s, ::s]
        return torch.from_numpy(np.ascontiguousarray(win.max(axis=(4, 5))))
