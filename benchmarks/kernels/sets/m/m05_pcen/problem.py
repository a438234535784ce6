import torch
import torch.nn as nn


class Model(nn.Module):
    """
    Per-channel energy normalisation (PCEN) of a spectrogram: a first-order smoother along
    time, started from the first frame, followed by gain control and root compression.
    The exponents are learned in the log domain, one per channel.
    """

    def __init__(self, channels: int, s: float = 0.025, eps: float = 1e-6):
        super().__init__()
        self.s = s
        self.eps = eps
        self.log_alpha = nn.Parameter(torch.full((channels,), 0.98).log())
        self.log_delta = nn.Parameter(torch.full((channels,), 2.0).log())
        self.log_r = nn.Parameter(torch.full((channels,), 0.5).log())

    def forward(self, E: torch.Tensor) -> torch.Tensor:
        """
        E: (B, channels, T), non-negative finite energies
        """
        m = E[..., 0]
        out = [m]
        for t in range(1, E.shape[-1]):
            m = (1.0 - self.s) * m + self.s * E[..., t]
            out.append(m)
        M = torch.stack(out, dim=-1)
        alpha = self.log_alpha.exp()[:, None]
        delta = self.log_delta.exp()[:, None]
        r = self.log_r.exp()[:, None]
        return (E * (self.eps + M).pow(-alpha) + delta).pow(r) - delta.pow(r)


batch_size = 2
channels = 8
frames = 64


def get_inputs():
    return [torch.rand(batch_size, channels, frames) ** 2 + 0.01]


def get_init_inputs():
    return [channels]
