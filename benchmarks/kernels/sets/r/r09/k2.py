import torch
import torch.nn as nn


class _StraightThrough(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, q):
        return x + (q - x)

    @staticmethod
    def backward(ctx, grad):
        return grad, None


class ModelNew(nn.Module):
    """GEMM distances |e|^2 - 2 x.e about the codebook mean, in double precision."""

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
        with torch.no_grad():
            e = self.embedding.double()
            mu = e.mean(0, keepdim=True)
            ec, xc = e - mu, x.double() - mu
            score = ec.square().sum(1)[None] - 2.0 * (xc @ ec.t())
            idx = score.argmin(1)
            q = self.embedding.index_select(0, idx)
            if self.training:
                self._update(x, idx)
        return _StraightThrough.apply(x, q)
