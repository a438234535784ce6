import torch
import torch.nn as nn


class Model(nn.Module):
    """
    Clamped SwiGLU over interleaved gate / linear features (gpt-oss experts). Inference only.
    The limits matter only for the rare large activations.

    x: (..., 2 * D) -> (..., D)
    """

    def __init__(self, alpha: float = 1.702, limit: float = 7.0):
        super().__init__()
        self.alpha = alpha
        self.limit = limit

    @torch.no_grad()
    def forward(self, x):
        gate, up = x[..., ::2], x[..., 1::2]
        gate = gate.clamp(max=self.limit)
        up = up.clamp(min=-self.limit, max=self.limit)
        return gate * torch.sigmoid(self.alpha * gate) * (up + 1.0)


tokens = 48
D = 256


def get_inputs():
    return [torch.randn(tokens, 2 * D)]


def get_init_inputs():
    return [1.702, 7.0]
