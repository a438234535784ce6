import torch
import torch.nn as nn
import torch.nn.functional as F

batch = 4
tokens = 24
dim = 16
n_codes = 20


class Model(nn.Module):
    """Vector quantiser with an EMA codebook (VQ-VAE) and straight-through gradients."""

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
        """x [..., dim] -> (quantised x, commitment loss, codes int64 [...]). Ties go to the lowest code."""
        flat = x.reshape(-1, x.shape[-1])
        with torch.no_grad():
            d = (flat[:, None, :] - self.embed[None]).square().sum(-1)
            codes = d.argmin(1)
        quant = self.embed[codes].view_as(x)
        if self.training:
            with torch.no_grad():
                onehot = F.one_hot(codes, self.embed.shape[0]).to(flat.dtype)
                self.cluster_size.mul_(self.decay).add_(onehot.sum(0), alpha=1 - self.decay)
                self.embed_avg.mul_(self.decay).add_(onehot.t() @ flat, alpha=1 - self.decay)
                n = self.cluster_size.sum()
                size = (self.cluster_size + self.eps) / (n + self.embed.shape[0] * self.eps) * n
                self.embed.copy_(self.embed_avg / size[:, None])
        loss = self.commitment * F.mse_loss(x, quant)
        quant = x + (quant - x).detach()
        return quant, loss, codes.view(x.shape[:-1])


def get_inputs():
    return [torch.randn(batch, tokens, dim)]


def get_init_inputs():
    return [n_codes, dim]
