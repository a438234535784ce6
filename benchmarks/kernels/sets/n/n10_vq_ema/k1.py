import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    """Codebook in tiles with a running minimum; sums by index_add instead of a one-hot GEMM."""

    def __init__(self, n_codes, dim, decay=0.99, commitment=0.25, eps=1e-5):
        super().__init__()
        self.decay = decay
        self.commitment = commitment
        self.eps = eps
        embed = torch.randn(n_codes, dim)
        self.register_buffer("embed", embed)
        self.register_buffer("cluster_size", torch.ones(n_codes))
        self.register_buffer("embed_avg", embed.clone())

    @torch.no_grad()
    def _search(self, flat):
        best = torch.full((flat.shape[0],), float("inf"), device=flat.device, dtype=flat.dtype)
        arg = torch.zeros(flat.shape[0], dtype=torch.long, device=flat.device)
        for k0 in range(0, self.embed.shape[0], 8):
            e = self.embed[k0:k0 + 8]
            d = ((flat.unsqueeze(1) - e) ** 2).sum(2)
            m, j = d.min(1)
            better = m < best
            best = torch.where(better, m, best)
            arg = torch.where(better, j + k0, arg)
        return arg

    @torch.no_grad()
    def _update(self, flat, codes):
        w = 1 - self.decay
        cnt = torch.zeros_like(self.cluster_size).index_add_(0, codes, torch.ones_like(flat[:, 0]))
        tot = torch.zeros_like(self.embed_avg).index_add_(0, codes, flat)
        self.cluster_size.copy_(self.decay * self.cluster_size + w * cnt)
        self.embed_avg.copy_(self.decay * self.embed_avg + w * tot)
        n = self.cluster_size.sum()
        smooth = n * (self.cluster_size + self.eps) / (n + self.cluster_size.numel() * self.eps)
        self.embed.copy_(self.embed_avg / smooth.unsqueeze(1))

    def forward(self, x):
        flat = x.reshape(-1, x.shape[-1])
        codes = self._search(flat)
        quant = self.embed.index_select(0, codes).view_as(x)
        if self.training:
            self._update(flat, codes)
        diff = x - quant
        loss = diff.square().mean() * self.commitment
        return x - diff.detach(), loss, codes.view(x.shape[:-1])
