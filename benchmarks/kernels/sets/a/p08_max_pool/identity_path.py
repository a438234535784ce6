import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, kernel_size, stride, padding):
        super().__init__()
        self.k, self.s, self.p = kernel_size, stride, padding

    def forward(self, x):
        k, s, p = self.k, self.s, self.p
        if k == 1 and s == 1 and p == 0:
            return x
        xp = nn.functional.pad(x, (p, p, p, p), value=float("-inf"))
        t = xp.unfold(2, k, s).unfold(3, k, s)
        return t.amax(dim=(4, 5))
