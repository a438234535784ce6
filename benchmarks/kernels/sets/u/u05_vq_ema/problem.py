import torch
import torch.nn as nn

batch_size = 2
tokens = 64
dim = 16
num_codes = 32
decay = 0.99
eps = 1e-5


class Model(nn.Module):
    """
    Vector quantiser with a codebook kept by moving averages (VQ-VAE-2 style).

    Every latent is replaced by its nearest code (squared Euclidean distance; of equally near codes,
    as after a dead code was restarted from another one, the one with the lowest number). The
    gradient goes straight through to the latent. In training mode the buffers are then updated in
    place with this batch's assignments; the outputs come from the codebook before the update. In
    eval mode the buffers stay as they are.

    Inputs:
        z: (batch, tokens, dim), float32. Latents are not centred: latents and codes may share an
           offset a thousand times larger than the distances between the codes.
    Returns:
        quantised latents (batch, tokens, dim), differentiable in z, and code numbers
        (batch, tokens), int64.
    """

    def __init__(self, dim, num_codes, decay, eps):
        super().__init__()
        self.decay = decay
        self.eps = eps
        embed = torch.randn(num_codes, dim)
        self.register_buffer("embed", embed)
        self.register_buffer("cluster_size", torch.ones(num_codes))
        self.register_buffer("embed_sum", embed.clone())

    def forward(self, z):
        flat = z.detach().reshape(-1, z.shape[-1])
        d = (flat[:, None] - self.embed[None]).square().sum(-1)
        k = self.embed.shape[0]
        is_min = d == d.min(1, keepdim=True).values
        idx = torch.where(is_min, torch.arange(k, device=z.device), k).min(1).values
        q = self.embed[idx].view(z.shape)
        if self.training:
            one = torch.nn.functional.one_hot(idx, k).to(z.dtype)
            self.cluster_size.mul_(self.decay).add_(one.sum(0), alpha=1 - self.decay)
            self.embed_sum.mul_(self.decay).add_(one.T @ flat, alpha=1 - self.decay)
            n = self.cluster_size.sum()
            size = (self.cluster_size + self.eps) / (n + k * self.eps) * n
            self.embed.copy_(self.embed_sum / size[:, None])
        return z + (q - z).detach(), idx.view(z.shape[:-1])


def get_inputs():
    return [torch.randn(batch_size, tokens, dim)]


def get_init_inputs():
    return [dim, num_codes, decay, eps]
