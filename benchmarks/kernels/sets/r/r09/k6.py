import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """Only the codes that occur in the batch are touched by the EMA update (sparse update)."""

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
        used, inv, cnt = torch.unique(idx, return_inverse=True, return_counts=True)
        tot = torch.zeros(used.numel(), x.shape[1]).index_add_(0, inv, x)
        d = self.decay
        self.cluster_size[used] = d * self.cluster_size[used] + (1 - d) * cnt.to(x.dtype)
        self.embed_avg[used] = d * self.embed_avg[used] + (1 - d) * tot
        n = self.cluster_size.sum()
        size = (self.cluster_size + self.eps) / (n + K * self.eps) * n
        self.embedding.copy_(self.embed_avg / size[:, None])

    def forward(self, x):
        xd = x.detach()
        idx = (xd[:, None, :] - self.embedding[None]).pow(2).sum(-1).argmin(1)
        q = self.embedding[idx]
        if self.training:
            self._update(xd, idx)
        return x + (q - x).detach()
