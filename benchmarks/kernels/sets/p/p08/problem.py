import torch
import torch.nn as nn


class Model(nn.Module):
    """
    Per-channel energy normalisation (PCEN) of a mel spectrogram with trainable parameters.
    """
    def __init__(self, n_mels: int, smooth: float = 0.04, alpha: float = 0.96, delta: float = 2.0,
                 root: float = 2.0, floor: float = 1e-6):
        """
        Initializes the PCEN layer.

        Args:
            n_mels (int): Number of frequency channels.
            smooth (float, optional): Initial smoothing coefficient. Defaults to 0.04.
            alpha (float, optional): Initial gain exponent. Defaults to 0.96.
            delta (float, optional): Initial bias, positive. Defaults to 2.0.
            root (float, optional): Initial root of the compression. Defaults to 2.0.
            floor (float, optional): Added to the smoothed energy. Defaults to 1e-6.
        """
        super(Model, self).__init__()
        self.floor = floor
        self.smooth = nn.Parameter(torch.full((n_mels,), smooth))
        self.alpha = nn.Parameter(torch.full((n_mels,), alpha))
        self.delta = nn.Parameter(torch.full((n_mels,), delta))
        self.root = nn.Parameter(torch.full((n_mels,), root))

    def forward(self, energy: torch.Tensor) -> torch.Tensor:
        """
        Smooths the energy along time, m[t] = (1 - s) * m[t-1] + s * e[t] with m[0] = e[0], and returns
        (e / (floor + m)^alpha + delta)^(1/root) - delta^(1/root).

        Args:
            energy (torch.Tensor): Non-negative energies of shape (batch, n_mels, time).

        Returns:
            torch.Tensor: Normalised energies of the same shape.
        """
        s = self.smooth.clamp(0.0, 1.0)
        alpha = self.alpha.clamp(max=1.0)
        inv_root = 1.0 / self.root.clamp(min=1.0)
        m = energy[:, :, 0]
        ema = [m]
        for t in range(1, energy.shape[2]):
            m = (1.0 - s) * m + s * energy[:, :, t]
            ema.append(m)
        m = torch.stack(ema, dim=2)
        gain = (self.floor + m) ** (-alpha[:, None])
        r = inv_root[:, None]
        d = self.delta[:, None]
        return (energy * gain + d) ** r - d ** r


batch_size = 4
n_mels = 32
n_frames = 100


def get_inputs():
    return [torch.randn(batch_size, n_mels, n_frames).pow(2) * 10.0]


def get_init_inputs():
    return [n_mels]
