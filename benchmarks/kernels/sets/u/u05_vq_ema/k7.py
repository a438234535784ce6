import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """Blocked over codes, winner merged block by block; straight-through output."""

    def __init__(self, dim, num_codes, decay, eps):
        super().__init__()
        self.decay = decay
        self.eps = eps
        embed = torch.randn(num_codes, dim)
        self.register_buffer("embed", embed)
        self.register_buffer("cluster_size", torch.ones(num_codes))
        self.register_buffer("embed_sum", embed.clone())

    @torch.no_grad()
    def _update(self, flat, idx):
        k = self.embed.shape[0]
        cnt = torch.bincount(idx, minlength=k).to(flat.dtype)
        tot = torch.zeros_like(self.embed).index_add_(0, idx, flat)
        self.cluster_size.lerp_(cnt, 1 - self.decay)
        self.embed_sum.lerp_(tot, 1 - self.decay)
        n = self.cluster_size.sum()
        size = (self.cluster_size + self.eps) * (n / (n + k * self.eps))
        self.embed.copy_(self.embed_sum / size.unsqueeze(1))

    def forward(self, z):
        flat = z.detach().reshape(-1, z.shape[-1])
        best = torch.full((flat.shape[0],), float("inf"))
        idx = torch.zeros(flat.shape[0], dtype=torch.long)
        for j in range(0, self.embed.shape[0], 10):
            d = (flat[:, None] - self.embed[j:j + 10]).square().sum(-1)
            v, i = torch.sort(d, dim=1, stable=True)
            take = v[:, 0] < best
            idx = torch.where(take, i[:, 0] + j, idx)
            best = torch.where(take, v[:, 0], best)
        q = self.embed[idx].view_as(z)
        if self.training:
            self._update(flat, idx)
        return z + (q - z), idx.view(z.shape[:-1])
