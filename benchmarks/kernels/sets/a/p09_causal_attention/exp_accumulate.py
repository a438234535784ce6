import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, q, k, v):
        S, D = q.shape[-2:]
        num = torch.zeros(q.shape[:-1] + (v.shape[-1],))
        den = torch.zeros(q.shape[:-1] + (1,))
        pos = torch.arange(S)
        for j in range(0, S, 20):
            kj, vj = k[..., j:j + 20, :], v[..., j:j + 20, :]
            e = torch.exp(q @ kj.transpose(-1, -2) / D ** 0.5)
            e = e * (pos[j:j + 20][None, :] <= pos[:, None])
            num = num + e @ vj
            den = den + e.sum(-1, keepdim=True)
        return num / den
