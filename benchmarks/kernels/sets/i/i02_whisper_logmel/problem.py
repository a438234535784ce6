import math
import numpy as np
import torch
import torch.nn as nn


def mel_filters(sr, n_fft, n_mels, fmin, fmax):
    """Triangular HTK-mel filters, Slaney area normalisation; (n_mels, n_fft // 2 + 1)."""
    mel = lambda f: 2595.0 * np.log10(1.0 + f / 700.0)
    pts = 700.0 * (10.0 ** (np.linspace(mel(fmin), mel(fmax), n_mels + 2) / 2595.0) - 1.0)
    pts[0], pts[-1] = fmin, fmax
    f = np.arange(n_fft // 2 + 1) * (sr / n_fft)
    up = (f[None] - pts[:-2, None]) / (pts[1:-1] - pts[:-2])[:, None]
    down = (pts[2:, None] - f[None]) / (pts[2:] - pts[1:-1])[:, None]
    fb = np.maximum(0.0, np.minimum(up, down))
    return fb * (2.0 / (pts[2:] - pts[:-2]))[:, None]


class Model(nn.Module):
    """Log-mel front end of a speech recogniser (feature extraction, inference only).

    wav: (B, T) in [-1, 1], T > n_fft // 2. Output: (B, n_mels, T // hop).
    0 <= fmin < fmax <= sr / 2, n_fft even. Every clip is scaled by its own loudest cell.
    """

    def __init__(self, sr, n_fft, hop, n_mels, fmin, fmax):
        super().__init__()
        self.n_fft, self.hop = n_fft, hop
        self.register_buffer("window", torch.hann_window(n_fft, periodic=True, dtype=torch.float64).float(), persistent=False)
        self.register_buffer("fb", torch.from_numpy(mel_filters(sr, n_fft, n_mels, fmin, fmax)).float(), persistent=False)

    @torch.no_grad()
    def forward(self, wav):
        spec = torch.stft(wav, self.n_fft, self.hop, window=self.window, center=True,
                          pad_mode="reflect", return_complex=True)
        power = spec[..., : wav.shape[-1] // self.hop].abs().square()
        logm = torch.clamp(self.fb @ power, min=1e-10).log10()
        logm = torch.maximum(logm, logm.amax(dim=(1, 2), keepdim=True) - 8.0)
        return (logm + 4.0) / 4.0


B = 4
T = 4000
SR = 16000
N_FFT = 400
HOP = 160
N_MELS = 40
FMIN = 0.0
FMAX = 8000.0


def get_inputs():
    return [torch.rand(B, T) * 2 - 1]


def get_init_inputs():
    return [SR, N_FFT, HOP, N_MELS, FMIN, FMAX]
