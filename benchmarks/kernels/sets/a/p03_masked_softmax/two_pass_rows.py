import torch
import torch.nn as nn


class ModelNew(nn.Module):
    ROWS = 40

    def __init__(self):
        super().__init__()

    def forward(self, x, mask):
        n = x.shape[-1]
        xf = x.reshape(-1, n)
        mf = mask.reshape(-1, n)
        out = []
        for i in range(0, xf.shape[0], self.ROWS):
            s = xf[i:i + self.ROWS] + mf[i:i + self.ROWS]
            m = s.max(dim=1, keepdim=True).values
            e = torch.exp(s - m)
            out.append(e / e.sum(dim=1, keepdim=True))
        return torch.cat(out, 0).reshape(x.shape)
