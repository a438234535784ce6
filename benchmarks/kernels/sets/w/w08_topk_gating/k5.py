import math
import torch
import torch.nn as nn
import torch.nn.functional as F




class ModelNew(nn.Module):
    def __init__(self, num_experts, k):
        super().__init__()
        self.k = k
        self.register_buffer("select_bias", torch.zeros(num_experts))

    def forward(self, logits):
        p = torch.softmax(logits, dim=-1)
        s = (logits + self.select_bias).detach()
        idx = torch.sort(s, dim=-1, descending=True, stable=True)[1][..., :self.k]
        w = p.gather(-1, idx)
        w = w / (w.sum(-1, keepdim=True) + 1e-9)
        return torch.zeros_like(p).scatter(-1, idx, w)
