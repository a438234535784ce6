import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x, mask):
        s = x + mask
        m = s.amax(dim=-1, keepdim=True)
        dead = m == float("-inf")
        m = torch.where(dead, torch.zeros_like(m), m)
        e = torch.exp(s - m)
        l = e.sum(dim=-1, keepdim=True)
        return e / torch.where(dead, torch.ones_like(l), l)
