import torch
import torch.nn as nn


class ModelNew(nn.Module):
    TILE = 32

    def __init__(self):
        super().__init__()

    def forward(self, x, mask):
        n = x.shape[-1]
        m = torch.full(x.shape[:-1] + (1,), float("-inf"), dtype=x.dtype)
        l = torch.zeros_like(m)
        for j in range(0, n, self.TILE):
            s = x[..., j:j + self.TILE] + mask[..., j:j + self.TILE]
            m_new = torch.maximum(m, s.amax(dim=-1, keepdim=True))
            l = l * torch.exp(m - m_new) + torch.exp(s - m_new).sum(-1, keepdim=True)
            m = m_new
        out = torch.empty_like(x)
        for j in range(0, n, self.TILE):
            s = x[..., j:j + self.TILE] + mask[..., j:j + self.TILE]
            out[..., j:j + self.TILE] = torch.exp(s - m) / l
        return out
