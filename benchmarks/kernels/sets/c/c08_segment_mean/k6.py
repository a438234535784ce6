import numpy as np
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, num_segments, dim):
        super().__init__()
        self.num_segments = num_segments
        self.empty = nn.Parameter(torch.zeros(dim))

    @torch.no_grad()
    def forward(self, x, ids):
        xs = x.detach().numpy()
        idn = ids.numpy()
        out = np.empty((self.num_segments, xs.shape[1]), dtype=xs.dtype)
        out[:] = self.empty.detach().numpy()
        if idn.size:
            order = np.argsort(idn, kind="stable")
            srt = idn[order]
            starts = np.flatnonzero(np.r_[True, srt[1:] != srt[:-1]])
            sums = np.add.reduceat(xs[order].astype(np.float64), starts, axis=0)
            cnt = np.diff(np.r_[starts, srt.size])
            out[srt[starts]] = sums / cnt[:, None]
        return torch.from_numpy(out)
