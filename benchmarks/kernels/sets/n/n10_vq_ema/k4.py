import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    """Distances code by code; codebook update in one expression."""

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
            d = torch.stack([(flat - e).pow(2).sum(-1) for e in self.embed], 1)
            codes = torch.min(d, 1).indices
        quant = self.embed[codes].view_as(x)
        if self.training:
            with torch.no_grad():
                onehot = F.one_hot(codes, self.embed.shape[0]).to(flat.dtype)
                self.cluster_size.mul_(self.decay).add_(onehot.sum(0), alpha=1 - self.decay)
                self.embed_avg.mul_(self.decay).add_(onehot.t() @ flat, alpha=1 - self.decay)
                self.embed.copy_(self.embed_avg / (self.cluster_size + self.eps)[:, None])
        loss = self.commitment * F.mse_loss(x, quant)
        return x + (quant - x).detach(), loss, codes.view(x.shape[:-1])
