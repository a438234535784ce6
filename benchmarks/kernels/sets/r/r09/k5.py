import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """Distances by the usual GEMM expansion |x|^2 - 2 x.e + |e|^2."""

    def __init__(self, num_codes: int, dim: int, decay: float = 0.9, eps: float = 1e-5):
        super().__init__()
        self.decay = decay
        self.eps = eps
        w = torch.randn(num_codes, dim)
        self.register_buffer("embedding", w)
        self.register_buffer("cluster_size", torch.ones(num_codes))
        self.register_buffer("embed_avg", w.clone())

    @torch.no_grad()
    def _update(self, x, idx):
        K = self.embedding.shape[0]
        hot = torch.nn.functional.one_hot(idx, K).to(x.dtype)
        self.cluster_size.lerp_(hot.sum(0), 1 - self.decay)
        self.embed_avg.lerp_(hot.t() @ x, 1 - self.decay)
        n = self.cluster_size.sum()
        size = (self.cluster_size + self.eps) * (n / (n + K * self.eps))
        self.embedding.copy_(self.embed_avg / size.unsqueeze(1))

    def forward(self, x):
        xd = x.detach()
        e = self.embedding
        d = xd.pow(2).sum(1, keepdim=True) - 2 * xd @ e.t() + e.pow(2).sum(1)
        idx = d.argmin(1)
        q = e[idx]
        if self.training:
            self._update(xd, idx)
        return x + (q - x).detach()
