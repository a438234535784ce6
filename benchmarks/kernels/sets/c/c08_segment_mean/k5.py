import numpy as np
import torch
import torch.nn as nn


class _SegMean(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, ids, empty, s):
        acc = np.zeros((s, x.shape[1]))
        cnt = np.zeros(s, dtype=np.int64)
        idn = ids.numpy()
        np.add.at(acc, idn, x.detach().numpy())
        np.add.at(cnt, idn, 1)
        cnt_t = torch.from_numpy(cnt)
        mean = torch.from_numpy(acc / np.maximum(cnt, 1)[:, None]).to(x.dtype)
        ctx.save_for_backward(ids, cnt_t)
        return torch.where(cnt_t[:, None] > 0, mean, empty.to(x.dtype))

    @staticmethod
    def backward(ctx, go):
        ids, cnt = ctx.saved_tensors
        gx = go[ids] / cnt[ids].to(go.dtype)[:, None]
        ge = go[cnt == 0].sum(0)
        return gx, None, ge, None


class ModelNew(nn.Module):
    def __init__(self, num_segments, dim):
        super().__init__()
        self.num_segments = num_segments
        self.empty = nn.Parameter(torch.zeros(dim))

    def forward(self, x, ids):
        return _SegMean.apply(x, ids, self.empty, self.num_segments)
