import torch
import torch.nn as nn

BM, BN = 32, 48


def _unit(v, eps):
    n = torch.linalg.vector_norm(v, dim=1, keepdim=True)
    n = n + (n.clamp_min(eps) - n).detach()      # value clamped, derivative that of the norm
    return v / n


class ModelNew(nn.Module):
    def __init__(self, dim, num_proto, eps):
        super().__init__()
        self.proto = nn.Parameter(torch.randn(num_proto, dim))
        self.scale = nn.Parameter(torch.tensor(10.0))
        self.eps = eps

    def forward(self, x):
        xn = _unit(x, self.eps)
        pn = _unit(self.proto, self.eps)
        strips = []
        for i in range(0, xn.shape[0], BM):
            a = xn[i:i + BM]
            strips.append(torch.cat([a @ pn[j:j + BN].t() for j in range(0, pn.shape[0], BN)], dim=1))
        return self.scale * torch.cat(strips, dim=0)
