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
        s = (logits + self.select_bias).detach()
        kth = s.topk(self.k, dim=-1).values[..., -1:]
        z = logits.masked_fill(s < kth, float("-inf"))
        return torch.softmax(z, dim=-1)
