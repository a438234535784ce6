import torch
import torch.nn as nn

BK = 32


class ModelNew(nn.Module):
    def __init__(self, dim, num_proto, eps):
        super().__init__()
        self.proto = nn.Parameter(torch.randn(num_proto, dim))
        self.scale = nn.Parameter(torch.tensor(10.0))
        self.eps = eps

    def _norm(self, sq):
        pos = sq > 0
        n = torch.where(pos, torch.where(pos, sq, torch.ones_like(sq)).sqrt(), torch.zeros_like(sq))
        return n + (n.clamp_min(self.eps) - n).detach()      # value clamped, derivative that of the norm

    def forward(self, x):
        p = self.proto
        dot = torch.zeros(x.shape[0], p.shape[0], dtype=torch.float64)
        nx = torch.zeros(x.shape[0], dtype=torch.float64)
        np_ = torch.zeros(p.shape[0], dtype=torch.float64)
        for k in range(0, x.shape[1], BK):
            a = x[:, k:k + BK].double()
            b = p[:, k:k + BK].double()
            dot = dot + a @ b.t()
            nx = nx + (a * a).sum(1)
            np_ = np_ + (b * b).sum(1)
        nx = self._norm(nx)
        np_ = self._norm(np_)
        return (self.scale * (dot / (nx[:, None] * np_[None, :]))).to(x.dtype)
