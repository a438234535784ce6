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
    def __init__(self, sr, n_fft, hop, n_mels, fmin, fmax):
        super().__init__()
        self.n_fft, self.hop = n_fft, hop
        self.register_buffer("window", torch.hann_window(n_fft, dtype=torch.float64).float(), persistent=False)
        self.register_buffer("fbt", torch.from_numpy(mel_filters(sr, n_fft, n_mels, fmin, fmax).T.copy()).float(), persistent=False)

    @torch.no_grad()
    def forward(self, wav):
        N, half = self.n_fft, self.n_fft // 2
        nf = wav.shape[-1] // self.hop
        y = F.pad(wav[:, None], (half, half), mode="reflect")[:, 0]
        fr = y.unfold(-1, N, self.hop)[:, :nf] * self.window
        odd = nf & 1
        if odd:
            fr = F.pad(fr, (0, 0, 0, 1))
        # two real frames ride in one complex transform
        z = torch.fft.fft(torch.complex(fr[:, 0::2], fr[:, 1::2]))
        zr = torch.roll(z.flip(-1), 1, -1).conj()
        a = ((z + zr) * 0.5)[..., : half + 1]
        b = ((z - zr) * -0.5j)[..., : half + 1]
        pw = torch.stack((a.real ** 2 + a.imag ** 2, b.real ** 2 + b.imag ** 2), 2).flatten(1, 2)[:, :nf]
        m = torch.log(torch.clamp_min(pw @ self.fbt, 1e-10)) * (1.0 / math.log(10.0))
        top = m.flatten(1).max(1).values.view(-1, 1, 1)
        return torch.clamp_min(m - (top - 8.0), 0.0).add(top - 4.0).mul(0.25).transpose(1, 2).contiguous()
