import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, channels: int, s: float = 0.025, eps: float = 1e-6):
        super().__init__()
        self.s = s
        self.eps = eps
        self.log_alpha = nn.Parameter(torch.full((channels,), 0.98).log())
        self.log_delta = nn.Parameter(torch.full((channels,), 2.0).log())
        self.log_r = nn.Parameter(torch.full((channels,), 0.5).log())

    def _decay_matrix(self, T, ref):
        # W[j, t] = weight of frame j in the smoother at frame t
        t = torch.arange(T, device=ref.device, dtype=torch.float64)
        lag = t[None, :] - t[:, None]
        W = self.s * torch.pow(torch.tensor(1.0 - self.s, dtype=torch.float64, device=ref.device), lag.clamp(min=0))
        W[0] = W[0] / self.s if self.s != 0 else 1.0
        return torch.where(lag >= 0, W, torch.zeros_like(W)).to(ref.dtype)

    def forward(self, E):
        M = E @ self._decay_matrix(E.shape[-1], E)
        alpha = self.log_alpha.exp()[:, None]
        delta = self.log_delta.exp()[:, None]
        r = self.log_r.exp()[:, None]
        return (E * (self.eps + M).pow(-alpha) + delta).pow(r) - delta.pow(r)
