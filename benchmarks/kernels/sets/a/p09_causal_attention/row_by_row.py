import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, q, k, v):
        S, D = q.shape[-2:]
        scale = D ** -0.5
        rows = []
        for i in range(S):
            s = (q[..., i:i + 1, :] * k[..., :i + 1, :]).sum(-1) * scale
            s = s - s.amax(dim=-1, keepdim=True)
            p = torch.exp(s)
            p = p / p.sum(dim=-1, keepdim=True)
            rows.append((p.unsqueeze(-1) * v[..., :i + 1, :]).sum(dim=-2))
        return torch.stack(rows, dim=-2)
