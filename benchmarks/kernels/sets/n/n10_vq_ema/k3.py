import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    """Codes are stored as int32 (half the size of int64; vocabularies are small)."""

    def __init__(self, n_codes, dim, decay=0.99, commitment=0.25, eps=1e-5):
        super().__init__()
        self.decay = decay
        self.commitment = commitment
        self.eps = eps
        embed = torch.randn(n_codes, dim)
        self.register_buffer("embed", embed)
        self.register_buffer("cluster_size", torch.ones(n_codes))
        self.register_buffer("embed_avg", embed.clone())

    def forward(self, x):
        flat = x.reshape(-1, x.shape[-1])
        with torch.no_grad():
            codes = torch.cdist(flat, self.embed, compute_mode="donot_use_mm_for_euclid_dist").argmin(1)
        quant = F.embedding(codes, self.embed.clone()).view_as(x)
        if self.training:
            with torch.no_grad():
                K = self.embed.shape[0]
                hot = torch.zeros(flat.shape[0], K, dtype=flat.dtype, device=flat.device)
                hot.scatter_(1, codes[:, None], 1.0)
                self.cluster_size.mul_(self.decay).add_(hot.sum(0) * (1 - self.decay))
                self.embed_avg.mul_(self.decay).addmm_(hot.t(), flat, alpha=1 - self.decay)
                n = self.cluster_size.sum()
                size = (self.cluster_size + self.eps) / (n + K * self.eps) * n
                self.embed.copy_(self.embed_avg / size[:, None])
        loss = self.commitment * F.mse_loss(quant, x)
        return x + (quant - x).detach(), loss, codes.view(x.shape[:-1]).to(torch.int32)
