import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, dim, hidden, n_experts, top_k):
        super().__init__()
        self.top_k = top_k
        self.gate = nn.Linear(dim, n_experts, bias=False)
        self.w1 = nn.Parameter(torch.randn(n_experts, dim, hidden) * dim ** -0.5)
        self.w2 = nn.Parameter(torch.randn(n_experts, hidden, dim) * hidden ** -0.5)

    def forward(self, x):
        z = self.gate(x)
        z = torch.exp(z - z.amax(-1, keepdim=True))
        z = z / z.sum(-1, keepdim=True)
        top, idx = z.topk(self.top_k, dim=-1)
        top = top / top.sum(-1, keepdim=True)
        full = torch.zeros_like(z).scatter(1, idx, top)
        out = 0
        for e in range(full.shape[1]):
            a = torch.mm(x, self.w1[e])
            a = a * torch.sigmoid(a) * full[:, e:e + 1]
            out = out + torch.mm(a, self.w2[e])
        return out
