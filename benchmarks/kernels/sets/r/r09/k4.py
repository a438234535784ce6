import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """Sorted segments: samples are grouped by code and summed with prefix differences."""

    def __init__(self, num_codes: int, dim: int, decay: float = 0.9, eps: float = 1e-5):
        super().__init__()
        self.decay = decay
        self.eps = eps
        w = torch.randn(num_codes, dim)
        self.register_buffer("embedding", w)
        self.register_buffer("cluster_size", torch.ones(num_codes))
        self.register_buffer("embed_avg", w.clone())

    def forward(self, x):
        xd = x.detach()
        K = self.embedding.shape[0]
        dist = torch.zeros(x.shape[0], K)
        for j in range(x.shape[1]):
            dist += (xd[:, j:j + 1] - self.embedding[:, j]).square()
        idx = dist.argmin(1)
        out = x + (self.embedding[idx] - x).detach()
        if self.training:
            order = idx.argsort(stable=True)
            ends = torch.searchsorted(idx[order], torch.arange(K), right=True)
            cum = torch.cat([torch.zeros(1, x.shape[1], dtype=torch.float64), xd[order].double().cumsum(0)])
            begin = torch.cat([ends.new_zeros(1), ends[:-1]])
            tot = (cum[ends] - cum[begin]).to(x.dtype)
            cnt = (ends - begin).to(x.dtype)
            a = 1.0 - self.decay
            self.cluster_size.copy_(self.decay * self.cluster_size + a * cnt)
            self.embed_avg.copy_(self.decay * self.embed_avg + a * tot)
            n = self.cluster_size.sum()
            size = n * (self.cluster_size + self.eps) / (n + K * self.eps)
            self.embedding.copy_(self.embed_avg / size[:, None])
        return out
