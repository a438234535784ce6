import torch
import torch.nn as nn


class Model(nn.Module):
    """Vector quantiser with an exponential-moving-average codebook (VQ-VAE, no gradient to codes).

    Buffers: embedding [K, D], cluster_size [K], embed_avg [K, D]. In training mode every
    forward quantises with the codebook as it is and then updates the three buffers in place;
    in eval mode the buffers are left alone. The output is the chosen code with a
    straight-through gradient: d(out)/d(x) is the identity.
    """

    def __init__(self, num_codes: int, dim: int, decay: float = 0.9, eps: float = 1e-5):
        super().__init__()
        self.decay = decay
        self.eps = eps
        w = torch.randn(num_codes, dim)
        self.register_buffer("embedding", w)
        self.register_buffer("cluster_size", torch.ones(num_codes))
        self.register_buffer("embed_avg", w.clone())

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """
        Args:
            x: float32 [N, D], finite, N >= 1 and D >= 1 arbitrary. x and the codebook may share a
                large common offset (1e3 and more) compared with the distances between codes.
                Equally near codes (duplicates in the codebook): the lowest index is chosen.
        Returns:
            [N, D]: embedding[argmin_k |x - embedding[k]|^2] with the straight-through gradient.
        """
        d = ((x.detach()[:, None, :] - self.embedding[None, :, :]) ** 2).sum(-1)
        idx = d.argmin(dim=1)
        q = self.embedding[idx]
        if self.training:
            with torch.no_grad():
                K = self.embedding.shape[0]
                cnt = torch.zeros(K).index_add_(0, idx, torch.ones(x.shape[0]))
                tot = torch.zeros_like(self.embedding).index_add_(0, idx, x.detach())
                self.cluster_size.mul_(self.decay).add_(cnt, alpha=1 - self.decay)
                self.embed_avg.mul_(self.decay).add_(tot, alpha=1 - self.decay)
                n = self.cluster_size.sum()
                size = (self.cluster_size + self.eps) / (n + K * self.eps) * n
                self.embedding.copy_(self.embed_avg / size[:, None])
        return x + (q - x).detach()


N = 40
NUM_CODES = 12
DIM = 8


def get_inputs():
    return [torch.randn(N, DIM)]


def get_init_inputs():
    return [NUM_CODES, DIM]
