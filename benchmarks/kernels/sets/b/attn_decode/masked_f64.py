import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """All sequences at once in float64; entries past the length are replaced before use."""

    def __init__(self, scale=None):
        super().__init__()
        self.scale = scale

    @torch.no_grad()
    def forward(self, q, k_cache, v_cache, lengths):
        L, D = k_cache.shape[2], q.shape[-1]
        scale = self.scale if self.scale is not None else D ** -0.5
        valid = torch.arange(L)[None, :] < lengths[:, None]
        valid = valid[:, None, :, None]
        zero = torch.zeros((), dtype=torch.float64)
        k = torch.where(valid, k_cache.double(), zero)
        v = torch.where(valid, v_cache.double(), zero)
        s = torch.matmul(k, q.double().unsqueeze(-1)) * scale
        s = s.masked_fill(~valid, float("-inf"))
        e = torch.exp(s - s.amax(2, keepdim=True))
        return ((e * v).sum(2) / e.sum(2)).float()
