import math
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, window: int, softcap: float):
        super().__init__()
        self.window = window
        self.softcap = softcap

    def forward(self, q, k, v):
        B, Hq, T, D = q.shape
        Hkv, S = k.shape[1], k.shape[2]
        g = Hq // Hkv
        qg = q.float().reshape(B, Hkv, g, T, D)
        s = torch.einsum("bhgtd,bhsd->bhgts", qg, k.float()) * (1.0 / math.sqrt(D))
        s = torch.tanh(s / self.softcap) * self.softcap
        ones = torch.ones(T, S, dtype=torch.bool, device=q.device)
        keep = ones.tril() & ones.triu(1 - self.window)
        s = s.masked_fill(~keep, float("-inf"))
        p = torch.softmax(s, dim=-1)
        o = torch.einsum("bhgts,bhsd->bhgtd", p, v.float())
        return o.reshape(B, Hq, T, D).to(q.dtype)
