import torch
import torch.nn as nn

TILE = 1024


class ModelNew(nn.Module):
    """Two passes over column tiles with float64 sums; autograd gives the gradients."""

    def __init__(self, dim, eps=1e-5):
        super().__init__()
        self.ln = nn.LayerNorm(dim, eps=eps)

    def forward(self, x):
        d = x.shape[-1]
        flat = x.reshape(-1, d)
        total = torch.zeros(flat.shape[0], 1, dtype=torch.float64)
        for c in range(0, d, TILE):
            total = total + flat[:, c:c + TILE].double().sum(1, keepdim=True)
        mean = total / d
        sq = torch.zeros_like(total)
        for c in range(0, d, TILE):
            sq = sq + (flat[:, c:c + TILE].double() - mean).square().sum(1, keepdim=True)
        rstd = (sq / d + self.ln.eps).rsqrt()
        y = ((flat.double() - mean) * rstd).float()
        return (y * self.ln.weight + self.ln.bias).reshape(x.shape)
