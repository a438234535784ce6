import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """
    Scatter-free readout: with e = exp(score - max) the weighted sums and the normalisers are
    products with the one-hot assignment matrix, no per-segment maximum has to be gathered.
    """

    def __init__(self, dim: int):
        super().__init__()
        self.gate = nn.Linear(dim, 1, bias=False)

    def forward(self, x, ptr):
        N = x.shape[0]
        B = ptr.numel() - 1
        if N == 0:
            return x.new_zeros(B, x.shape[1]) + 0.0 * self.gate.weight.sum()
        pos = torch.arange(N, device=x.device)
        assign = ((pos >= ptr[:-1, None]) & (pos < ptr[1:, None])).to(x.dtype)
        score = self.gate(x)
        e = torch.exp(score - score.detach().max())
        den = assign @ e
        num = assign @ (e * x)
        return num / den.clamp(min=1e-30)
