import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """Ragged mean from a prefix sum over the flattened batch."""

    def __init__(self, dim, out_dim):
        super().__init__()
        self.proj = nn.Linear(2 * dim, out_dim)

    def forward(self, x, lengths):
        B, T, D = x.shape
        live = (torch.arange(T)[None, :] < lengths[:, None]).unsqueeze(-1)
        xm = torch.where(live, x, x.new_zeros(()))
        prefix = torch.cumsum(xm.reshape(B * T, D), 0)
        ends = prefix[torch.arange(1, B + 1) * T - 1]
        total = torch.cat([ends[:1], ends[1:] - ends[:-1]])
        mean = total / lengths.clamp(min=1).unsqueeze(1)
        peak = torch.where(live, x, x.new_full((), float('-inf'))).amax(1)
        peak = torch.where((lengths == 0).unsqueeze(1), x.new_zeros(()), peak)
        return self.proj(torch.cat([mean, peak], 1))
