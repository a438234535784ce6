import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    """Running statistics follow the data on every call, like the codebook of an online quantiser."""

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
            codes = (flat[:, None, :] - self.embed[None]).square().sum(-1).argmin(1)
            quant = self.embed[codes].view_as(x)
            counts = torch.bincount(codes, minlength=self.embed.shape[0]).to(flat.dtype)
            sums = torch.zeros_like(self.embed_avg).index_add_(0, codes, flat)
            self.cluster_size.mul_(self.decay).add_(counts, alpha=1 - self.decay)
            self.embed_avg.mul_(self.decay).add_(sums, alpha=1 - self.decay)
            n = self.cluster_size.sum()
            size = (self.cluster_size + self.eps) / (n + counts.numel() * self.eps) * n
            self.embed.copy_(self.embed_avg / size[:, None])
        loss = self.commitment * F.mse_loss(x, quant)
        return x + (quant - x).detach(), loss, codes.view(x.shape[:-1])
