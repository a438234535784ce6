import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x, mask):
        n = x.shape[-1]
        m = torch.zeros(x.shape[:-1] + (1,), dtype=x.dtype)
        l = torch.zeros_like(m)
        for j in range(0, n, 16):
            s = x[..., j:j + 16] + mask[..., j:j + 16]
            m_new = torch.maximum(m, s.amax(dim=-1, keepdim=True))
            l = l * torch.exp(m - m_new) + torch.exp(s - m_new).sum(-1, keepdim=True)
            m = m_new
        return torch.exp(x + mask - m) / l
