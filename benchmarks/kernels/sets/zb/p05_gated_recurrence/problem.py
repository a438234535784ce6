import torch
import torch.nn as nn


class Model(nn.Module):
    """
    Gated linear recurrence (inference):

        h_t = a_t * h_{t-1} + b_t,    y_t = h_t + skip * b_t

    a, b: float32 (B, T, D), a in [0, 1] (0 resets the state, 1 holds it), b finite, T >= 1.
    h0: float32 (B, D), the state carried over from the previous segment, or None for zeros.
    Returns y (B, T, D) and the final state h_T (B, D), to be passed to the next segment.
    """

    def __init__(self, dim: int):
        super().__init__()
        self.skip = nn.Parameter(torch.randn(dim) * 0.1)

    @torch.no_grad()
    def forward(self, a, b, h0=None):
        h = torch.zeros_like(b[:, 0]) if h0 is None else h0
        ys = []
        for t in range(a.shape[1]):
            h = a[:, t] * h + b[:, t]
            ys.append(h)
        return torch.stack(ys, dim=1) + self.skip * b, h


def get_inputs():
    a = torch.sigmoid(torch.randn(2, 64, 32) + 1.0)
    b = torch.randn(2, 64, 32)
    h0 = torch.randn(2, 32)
    return [a, b, h0]


def get_init_inputs():
    return [32]
