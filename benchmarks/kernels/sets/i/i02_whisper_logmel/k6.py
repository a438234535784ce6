import math
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F


def mel_filters(sr, n_fft, n_mels, fmin, fmax):
    mel = lambda f: 2595.0 * np.log10(1.0 + f / 700.0)
    pts = 700.0 * (10.0 ** (np.linspace(mel(fmin), mel(fmax), n_mels + 2) / 2595.0) - 1.0)
    pts[0], pts[-1] = fmin, fmax
    f = np.arange(n_fft // 2 + 1) * (sr / n_fft)
    up = (f[None] - pts[:-2, None]) / (pts[1:-1] - pts[:-2])[:, None]
    down = (pts[2:, None] - f[None]) / (pts[2:] - pts[1:-1])[:, None]
    return np.maximum(0.0, np.minimum(up, down)) * (2.0 / (pts[2:] - pts[:-2]))[:, None]


class ModelNew(nn.Module):
    """STFT as a strided convolution with a windowed Fourier basis."""

    def __init__(self, sr, n_fft, hop, n_mels, fmin, fmax):
        super().__init__()
        self.n_fft, self.hop = n_fft, hop
        n = np.arange(n_fft)
        k = np.arange(1, n_fft // 2)          # DC and Nyquist carry no mel weight
        ang = 2.0 * np.pi * ((k[:, None] * n[None]) % n_fft) / n_fft
        win = 0.5 - 0.5 * np.cos(2.0 * np.pi * n / n_fft)
        basis = np.concatenate((np.cos(ang), np.sin(ang))) * win
        self.register_buffer("basis", torch.from_numpy(basis[:, None, :]).float(), persistent=False)
        fb = mel_filters(sr, n_fft, n_mels, fmin, fmax)[:, 1:-1]
        self.register_buffer("fb", torch.from_numpy(np.ascontiguousarray(fb)).float(), persistent=False)

    @torch.no_grad()
    def forward(self, wav):
        p = self.n_fft // 2
        y = F.pad(wav.unsqueeze(1), (p, p), mode="reflect")
        z = F.conv1d(y, self.basis, stride=self.hop)[..., : wav.shape[-1] // self.hop]
        re, im = z.chunk(2, 1)
        m = torch.matmul(self.fb, re * re + im * im)
        m = m.clamp_min(1e-10).log10()
        m = torch.maximum(m, m.max() - 8.0)
        return m * 0.25 + 1.0
