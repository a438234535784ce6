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
    """Two dense matmuls: frames @ DFT matrix, power @ mel."""

    def __init__(self, sr, n_fft, hop, n_mels, fmin, fmax):
        super().__init__()
        self.n_fft, self.hop = n_fft, hop
        w = torch.hann_window(n_fft, periodic=True)
        n = torch.arange(n_fft, dtype=torch.float32)
        k = torch.arange(n_fft // 2 + 1, dtype=torch.float32)
        ang = torch.outer(n, k) * (2.0 * math.pi / n_fft)
        self.register_buffer("dft", torch.cat((torch.cos(ang), torch.sin(ang)), 1) * w[:, None], persistent=False)
        self.register_buffer("fb", torch.from_numpy(mel_filters(sr, n_fft, n_mels, fmin, fmax)).float(), persistent=False)

    @torch.no_grad()
    def forward(self, wav):
        h = self.n_fft // 2
        x = F.pad(wav.unsqueeze(1), (h, h), mode="reflect").squeeze(1)
        z = x.unfold(-1, self.n_fft, self.hop)[:, : wav.shape[-1] // self.hop] @ self.dft
        re, im = z[..., : h + 1], z[..., h + 1 :]
        m = (self.fb @ (re.square() + im.square()).transpose(1, 2)).clamp(min=1e-10).log10()
        m = torch.maximum(m, m.amax((-2, -1), keepdim=True) - 8.0)
        return (m + 4.0) / 4.0
