"""Ports of vision, audio, metrics, scalar losses and NumPy code. Written without sight of halfulp.

`# planted` marks the line of the mistake, `# original` what stands there in the original.
"""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

from .registry import Fresh, entering

PAIRS: list[Fresh] = []


pair = entering(PAIRS)


# --------------------------------------------------------------------------
# usual
# --------------------------------------------------------------------------


@pair(
    "thumbnail_resize",
    "vision",
    "bilinear downscaling without antialias filter",
    "usual",
    ("antialias", "antialiasing", "aliasing", "resize", "interpolate", "interpolation"),
)
def make(seed):
    torch.manual_seed(seed)
    img = torch.rand(2, 3, 40, 52)
    mean = torch.tensor([0.485, 0.456, 0.406]).view(1, 3, 1, 1)
    std = torch.tensor([0.229, 0.224, 0.225]).view(1, 3, 1, 1)

    def expected(x):
        x = F.interpolate(x, size=(20, 26), mode="bilinear", align_corners=False, antialias=True)  # original
        top, left = (20 - 16) // 2, (26 - 16) // 2
        x = x[:, :, top : top + 16, left : left + 16]
        return (x - mean) / std

    def actual(x):
        x = F.interpolate(x, size=(20, 26), mode="bilinear", align_corners=False)  # planted
        top, left = (20 - 16) // 2, (26 - 16) // 2
        x = x[:, :, top : top + 16, left : left + 16]
        return (x - mean) / std

    return actual, expected, (img,)


@pair(
    "mask_upsample_by_hand",
    "vision",
    "source coordinates of the bilinear upsampling follow align_corners=True instead of half-pixel centres",
    "usual",
    ("align", "corners", "align_corners", "half-pixel", "half", "coordinates"),
)
def make(seed):
    torch.manual_seed(seed)
    logits = torch.randn(2, 4, 7, 9)
    logits = F.avg_pool2d(F.pad(logits, (1, 1, 1, 1), mode="replicate"), 3, 1)

    def expected(x):
        x = F.interpolate(x, size=(21, 27), mode="bilinear", align_corners=False)  # original
        return torch.sigmoid(x)

    def axis(n_in, n_out):
        out = torch.arange(n_out, dtype=torch.float32)
        pos = out * (n_in - 1) / (n_out - 1)  # planted
        pos = pos.clamp(min=0.0)
        low = pos.floor().long().clamp(max=n_in - 1)
        high = (low + 1).clamp(max=n_in - 1)
        return low, high, pos - low

    def actual(x):
        r0, r1, wr = axis(x.shape[2], 21)
        c0, c1, wc = axis(x.shape[3], 27)
        rows = x[:, :, r0] * (1 - wr)[:, None] + x[:, :, r1] * wr[:, None]
        both = rows[..., c0] * (1 - wc) + rows[..., c1] * wc
        return torch.sigmoid(both)

    return actual, expected, (logits,)


@pair(
    "opencv_normalise",
    "numpy port",
    "channel order: the RGB mean and std are applied to the BGR image, not reversed",
    "usual",
    ("bgr", "rgb", "channel", "channels", "mean", "order"),
)
def make(seed):
    torch.manual_seed(seed)
    img = torch.randint(0, 256, (2, 18, 22, 3)).float()

    def expected(x):
        mean = torch.tensor([0.485, 0.456, 0.406])
        std = torch.tensor([0.229, 0.224, 0.225])
        mean, std = mean.flip(0), std.flip(0)  # original
        x = (x / 255.0 - mean) / std
        return x.permute(0, 3, 1, 2).contiguous()

    def actual(x):
        a = x.numpy().astype(np.float32) / np.float32(255)
        mean = np.array([0.485, 0.456, 0.406], dtype=np.float32)  # planted
        std = np.array([0.229, 0.224, 0.225], dtype=np.float32)
        a = (a - mean) / std
        return np.ascontiguousarray(a.transpose(0, 3, 1, 2))

    return actual, expected, (img,)


@pair("power_spectrogram", "audio", "hann window symmetric instead of periodic", "usual", ("window", "hann", "periodic", "symmetric"))
def make(seed):
    torch.manual_seed(seed)
    wave = torch.randn(2, 400)

    def expected(x):
        win = torch.hann_window(64, periodic=True)  # original
        s = torch.stft(x, 64, hop_length=16, window=win, center=True, pad_mode="reflect", return_complex=True)
        return s.abs().square()

    def actual(x):
        n = torch.arange(64, dtype=torch.float32)
        win = 0.5 - 0.5 * torch.cos(2 * math.pi * n / 63)  # planted
        padded = F.pad(x.unsqueeze(1), (32, 32), mode="reflect").squeeze(1)
        frames = padded.unfold(-1, 64, 16) * win
        s = torch.fft.rfft(frames, dim=-1)
        return (s.real**2 + s.imag**2).transpose(1, 2)

    return actual, expected, (wave,)


@pair(
    "mel_energies",
    "numpy port",
    "mel filter bank on the HTK scale instead of Slaney",
    "usual",
    ("mel", "htk", "slaney", "filter", "filterbank", "scale"),
)
def make(seed):
    torch.manual_seed(seed)
    power = torch.rand(2, 129, 12) * torch.linspace(3.0, 0.1, 129)[:, None]
    sr, n_mels = 16000, 20

    def slaney(m):
        linear = m * 200.0 / 3.0
        return torch.where(m < 15.0, linear, 1000.0 * torch.exp((m - 15.0) * math.log(6.4) / 27.0))

    def expected(p):
        top = 15.0 + 27.0 * math.log(sr / 2 / 1000.0) / math.log(6.4)
        edges = slaney(torch.linspace(0.0, top, n_mels + 2))  # original
        f = torch.linspace(0, sr / 2, p.shape[1])
        up = (f[None] - edges[:-2, None]) / (edges[1:-1] - edges[:-2])[:, None]
        down = (edges[2:, None] - f[None]) / (edges[2:] - edges[1:-1])[:, None]
        fb = torch.minimum(up, down).clamp(min=0) * (2.0 / (edges[2:] - edges[:-2]))[:, None]
        return torch.log(fb @ p + 1e-5)

    def actual(p):
        p = p.numpy()
        top = 2595.0 * np.log10(1 + sr / 2 / 700.0)
        edges = 700.0 * (10 ** (np.linspace(0, top, n_mels + 2) / 2595.0) - 1)  # planted
        f = np.linspace(0, sr / 2, p.shape[1])
        fb = np.zeros((n_mels, p.shape[1]))
        for i in range(n_mels):
            lo, mid, hi = edges[i : i + 3]
            tri = np.minimum((f - lo) / (mid - lo), (hi - f) / (hi - mid))
            fb[i] = np.maximum(tri, 0) * 2.0 / (hi - lo)
        return np.log(fb @ p + 1e-5).astype(np.float32)

    return actual, expected, (power,)


class LogFrontEnd(nn.Module):
    def __init__(self):
        super().__init__()
        self.bands = nn.Linear(33, 12, bias=False)
        self.conv = nn.Conv1d(12, 16, 3, padding=1)
        self.out = nn.Linear(16, 5)

    def features(self, x):
        frames = x.unfold(-1, 64, 32) * torch.hann_window(64)
        power = torch.fft.rfft(frames).abs().square()
        mel = F.linear(power, self.bands.weight.abs())
        return torch.log(mel + 1e-6)  # original

    def forward(self, x):
        f = self.features(x)
        h = F.relu(self.conv(f.transpose(1, 2)))
        return self.out(h.mean(-1))


class LogFrontEndPort(LogFrontEnd):
    def features(self, x):
        frames = x.unfold(-1, 64, 32) * torch.hann_window(64)
        power = torch.fft.rfft(frames).abs().square()
        mel = F.linear(power, self.bands.weight.abs())
        return torch.log10(mel + 1e-6)  # planted


@pair(
    "keyword_front_end",
    "audio",
    "logarithm of base 10 instead of natural log in the mel features",
    "usual",
    ("log", "log10", "logarithm", "base", "10", "natural"),
)
def make(seed):
    torch.manual_seed(seed)
    a, b = LogFrontEndPort().eval(), LogFrontEnd().eval()
    a.load_state_dict(b.state_dict())
    return a, b, (torch.randn(3, 480),)


class MixedBranch(nn.Module):
    def __init__(self, include):
        super().__init__()
        self.b1 = nn.Conv2d(6, 8, 1)
        self.b3 = nn.Sequential(nn.Conv2d(6, 4, 1), nn.ReLU(), nn.Conv2d(4, 8, 3, padding=1))
        self.pool = nn.AvgPool2d(3, stride=1, padding=1, count_include_pad=include)
        self.bp = nn.Conv2d(6, 8, 1)
        self.head = nn.Linear(24, 7)

    def forward(self, x):
        y = torch.cat([self.b1(x), self.b3(x), self.bp(self.pool(x))], 1)
        return self.head(F.relu(y).permute(0, 2, 3, 1))


@pair(
    "inception_branch",
    "conv net",
    "average pooling counts the zero padding in its divisor (count_include_pad)",
    "usual",
    ("pad", "padding", "count_include_pad", "average", "pool", "pooling"),
)
def make(seed):
    torch.manual_seed(seed)
    b = MixedBranch(include=False).eval()  # original
    a = MixedBranch(include=True).eval()  # planted
    a.load_state_dict(b.state_dict())
    return a, b, (torch.rand(2, 6, 9, 9) + 0.5,)


class ConvBN(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1, self.bn1 = nn.Conv2d(3, 8, 3, padding=1, bias=False), nn.BatchNorm2d(8)
        self.conv2, self.bn2 = nn.Conv2d(8, 6, 3, stride=2, padding=1, bias=False), nn.BatchNorm2d(6)

    def forward(self, x):
        x = F.relu6(self.bn1(self.conv1(x)))
        return self.bn2(self.conv2(x))


class FoldedConv(nn.Module):
    def __init__(self, ref):
        super().__init__()
        self.w1, self.b1 = self.fold(ref.conv1, ref.bn1)
        self.w2, self.b2 = self.fold(ref.conv2, ref.bn2)

    @staticmethod
    def fold(conv, bn):
        scale = bn.weight / torch.sqrt(bn.running_var)  # planted
        w = conv.weight * scale.view(-1, 1, 1, 1)
        b = bn.bias - bn.running_mean * scale
        return nn.Parameter(w.detach()), nn.Parameter(b.detach())

    def forward(self, x):
        x = F.relu6(F.conv2d(x, self.w1, self.b1, padding=1))
        return F.conv2d(x, self.w2, self.b2, stride=2, padding=1)


@pair(
    "folded_batchnorm",
    "conv net",
    "batch norm folding leaves out eps under the square root",
    "usual",
    ("eps", "epsilon", "batch", "batchnorm", "fold", "folding"),
)
def make(seed):
    torch.manual_seed(seed)
    ref = ConvBN().eval()
    for bn in (ref.bn1, ref.bn2):
        bn.running_mean.normal_(0, 0.1)
        bn.running_var.uniform_(0.05, 0.4)
        nn.init.uniform_(bn.weight, 0.5, 1.5)
        nn.init.normal_(bn.bias, 0, 0.2)
    return FoldedConv(ref).eval(), ref, (torch.randn(2, 3, 10, 10),)


@pair(
    "token_standardise",
    "numpy port",
    "standard deviation with ddof 1 (unbiased, n-1) instead of the population variance in the layer norm",
    "usual",
    ("ddof", "unbiased", "bessel", "variance", "std", "deviation"),
)
def make(seed):
    torch.manual_seed(seed)
    w, b = torch.rand(24) + 0.5, torch.randn(24) * 0.1
    proj = torch.randn(10, 24) / 5

    def expected(x):
        y = F.layer_norm(x, (24,), w, b, eps=1e-6)  # original
        return F.linear(y, proj)

    def actual(x):
        x = x.numpy()
        mu = x.mean(-1, keepdims=True)
        var = x.var(-1, keepdims=True, ddof=1)  # planted
        y = (x - mu) / np.sqrt(var + 1e-6)
        y = y * w.numpy() + b.numpy()
        return y @ proj.numpy().T

    return actual, expected, (torch.randn(3, 7, 24) * 2 + 1,)


@pair(
    "psnr_peak",
    "metric",
    "PSNR's peak is the maximum of the target image instead of the data range 1.0",
    "usual",
    ("peak", "range", "max", "maximum", "data_range"),
    scalar=True,
)
def make(seed):
    torch.manual_seed(seed)
    clean = torch.rand(2, 3, 16, 16)
    noisy = (clean + 0.03 * torch.randn_like(clean)).clamp(0, 1)

    def expected(pred, target):
        peak = 1.0  # original
        mse = (pred - target).square().mean(dim=(1, 2, 3))
        psnr = 20 * math.log10(peak) - 10 * torch.log10(mse)
        return psnr.mean()

    def actual(pred, target):
        peak = target.amax()  # planted
        mse = (pred - target).square().mean(dim=(1, 2, 3))
        psnr = 20 * torch.log10(peak) - 10 * torch.log10(mse)
        return psnr.mean()

    return actual, expected, (noisy, clean)


@pair(
    "lm_perplexity",
    "metric",
    "perplexity averages over padding tokens too; pad positions are not masked out",
    "usual",
    ("pad", "padding", "mask", "masked", "ignore", "ignore_index"),
    scalar=True,
)
def make(seed):
    torch.manual_seed(seed)
    logits = torch.randn(3, 10, 17)
    target = torch.randint(1, 17, (3, 10))
    target[0, 8:] = 0
    target[1, 5:] = 0
    logits[..., 0] -= 2.0

    def expected(logits, target):
        nll = F.cross_entropy(logits.flatten(0, 1), target.flatten(), ignore_index=0)  # original
        return torch.exp(nll)

    def actual(logits, target):
        logp = torch.log_softmax(logits, -1)
        token = logp.gather(-1, target.unsqueeze(-1)).squeeze(-1)
        nll = -token.mean()  # planted
        return torch.exp(nll)

    return actual, expected, (logits, target)


@pair(
    "distillation_kl",
    "scalar loss",
    "KL divergence with student and teacher swapped (reverse direction)",
    "usual",
    ("swapped", "swap", "reverse", "reversed", "direction", "kl"),
    scalar=True,
)
def make(seed):
    torch.manual_seed(seed)
    student, teacher = torch.randn(6, 9), torch.randn(6, 9)
    temp = 2.0

    def expected(s, t):
        logq = F.log_softmax(s / temp, dim=-1)
        p = F.softmax(t / temp, dim=-1)
        return F.kl_div(logq, p, reduction="batchmean") * temp**2  # original

    def actual(s, t):
        logq = F.log_softmax(s / temp, dim=-1)
        logp = F.log_softmax(t / temp, dim=-1)
        kl = (logq.exp() * (logq - logp)).sum(-1)  # planted
        return kl.mean() * temp**2

    return actual, expected, (student, teacher)


@pair(
    "mfcc_dct",
    "numpy port",
    "MFCC's DCT: coefficient 0 lacks the 1/sqrt(2) factor of the ortho norm",
    "usual",
    ("dct", "ortho", "orthonormal", "sqrt(2)", "norm", "coefficient"),
)
def make(seed):
    torch.manual_seed(seed)
    mel = torch.rand(2, 20, 11) * 4 + 0.05
    lift = 1 + 11.0 * torch.sin(math.pi * torch.arange(10) / 22.0)

    def expected(m):
        logm = torch.log(m + 1e-6)
        n = torch.arange(20, dtype=torch.float32)
        k = torch.arange(10, dtype=torch.float32)[:, None]
        basis = torch.cos(math.pi / 20 * (n + 0.5) * k) * math.sqrt(2.0 / 20)
        basis[0] *= 1.0 / math.sqrt(2.0)  # original
        return (basis @ logm) * lift[:, None]

    def actual(m):
        logm = np.log(m.numpy() + 1e-6)
        n = np.arange(20)
        basis = np.stack([np.cos(np.pi / 20 * (n + 0.5) * k) for k in range(10)])
        basis = basis * np.sqrt(2.0 / 20)  # planted
        return ((basis @ logm) * lift.numpy()[:, None]).astype(np.float32)

    return actual, expected, (mel,)


@pair(
    "int8_linear",
    "quantisation",
    "weights quantised by truncation towards zero (cast to int8) instead of rounding",
    "usual",
    ("round", "rounding", "truncation", "truncate", "int8", "quantised"),
)
def make(seed):
    torch.manual_seed(seed)
    w1, b1 = torch.randn(16, 12) / 3, torch.randn(16) * 0.1
    w2, b2 = torch.randn(8, 16) / 4, torch.randn(8) * 0.1

    def fake_quant(w):
        scale = w.abs().amax(1, keepdim=True) / 127.0
        q = torch.round(w / scale).clamp(-127, 127)  # original
        return q * scale

    def fake_quant_port(w):
        scale = w.abs().amax(1, keepdim=True) / 127.0
        q = (w / scale).clamp(-127, 127).to(torch.int8)  # planted
        return q.float() * scale

    def expected(x):
        h = F.relu(F.linear(x, fake_quant(w1), b1))
        return F.linear(h, fake_quant(w2), b2)

    def actual(x):
        h = torch.relu(x @ fake_quant_port(w1).t() + b1)
        return h @ fake_quant_port(w2).t() + b2

    return actual, expected, (torch.randn(5, 12),)


class ConvNeXtish(nn.Module):
    approx = "none"

    def __init__(self):
        super().__init__()
        self.dw = nn.Conv2d(8, 8, 5, padding=2, groups=8)
        self.norm = nn.LayerNorm(8, eps=1e-6)
        self.fc1, self.fc2 = nn.Linear(8, 32), nn.Linear(32, 8)
        self.gamma = nn.Parameter(torch.full((8,), 0.7))

    def forward(self, x):
        h = self.norm(self.dw(x).permute(0, 2, 3, 1))
        h = self.fc2(F.gelu(self.fc1(h)))  # original
        return x + (self.gamma * h).permute(0, 3, 1, 2)


class ConvNeXtishPort(ConvNeXtish):
    def forward(self, x):
        h = self.norm(self.dw(x).permute(0, 2, 3, 1))
        h = self.fc2(F.gelu(self.fc1(h), approximate="tanh"))  # planted
        return x + (self.gamma * h).permute(0, 3, 1, 2)


@pair(
    "convnext_block",
    "conv net",
    "gelu with the tanh approximation instead of the exact erf",
    "usual",
    ("gelu", "tanh", "erf", "approximation", "approximate"),
    gradients=True,
)
def make(seed):
    torch.manual_seed(seed)
    a, b = ConvNeXtishPort().eval(), ConvNeXtish().eval()
    a.load_state_dict(b.state_dict())
    return a, b, (torch.randn(2, 8, 7, 7),)


class TinyVAE(nn.Module):
    def __init__(self):
        super().__init__()
        self.enc = nn.Linear(20, 16)
        self.mu, self.logvar = nn.Linear(16, 4), nn.Linear(16, 4)
        self.dec = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 20))

    def kl(self, mu, logvar):
        return -0.5 * (1 + logvar - mu.square() - logvar.exp()).sum(-1)  # original

    def forward(self, x, eps):
        h = torch.tanh(self.enc(x))
        mu, logvar = self.mu(h), self.logvar(h)
        z = mu + torch.exp(0.5 * logvar) * eps
        rec = F.binary_cross_entropy_with_logits(self.dec(z), x, reduction="none").sum(-1)
        return (rec + self.kl(mu, logvar)).mean()


class TinyVAEPort(TinyVAE):
    def kl(self, mu, logvar):
        return -0.5 * (1 + logvar - mu.square() - logvar.exp()).mean(-1)  # planted


@pair(
    "negative_elbo",
    "scalar loss",
    "KL term of the ELBO takes the mean over latent dimensions instead of the sum",
    "usual",
    ("mean", "sum", "kl", "latent", "reduction"),
    scalar=True,
)
def make(seed):
    torch.manual_seed(seed)
    a, b = TinyVAEPort().eval(), TinyVAE().eval()
    a.load_state_dict(b.state_dict())
    return a, b, ((torch.rand(5, 20) > 0.5).float(), torch.randn(5, 4))


# --------------------------------------------------------------------------
# unusual
# --------------------------------------------------------------------------


@pair(
    "group_membership",
    "conv net",
    "group norm assigns channels to groups interleaved (channel modulo groups) instead of in contiguous blocks",
    "unusual",
    ("interleaved", "strided", "modulo", "contiguous", "membership", "group"),
    gradients=True,
)
def make(seed):
    torch.manual_seed(seed)
    c, g = 12, 4
    w, b = torch.rand(c) + 0.5, torch.randn(c) * 0.2
    kern = torch.randn(c, 3, 3, 3) / 4
    shift = torch.randn(c)

    def expected(x):
        x = F.conv2d(x, kern, shift, padding=1)
        return F.silu(F.group_norm(x, g, w, b, eps=1e-5))  # original

    def actual(x):
        x = F.conv2d(x, kern, shift, padding=1)
        member = torch.arange(c) % g  # planted
        pool = F.one_hot(member, g).float() / (c // g)
        mean = (x.mean((2, 3)) @ pool)[:, member, None, None]
        d = x - mean
        var = (d.square().mean((2, 3)) @ pool)[:, member, None, None]
        y = d / torch.sqrt(var + 1e-5) * w.view(-1, 1, 1) + b.view(-1, 1, 1)
        return y * torch.sigmoid(y)

    return actual, expected, (torch.randn(2, 3, 6, 6),)


class ShiftedWindow(nn.Module):
    def __init__(self, dim=8, win=4):
        super().__init__()
        self.win, self.shift = win, win // 2
        self.norm = nn.LayerNorm(dim)
        self.qkv, self.proj = nn.Linear(dim, 3 * dim), nn.Linear(dim, dim)

    def attend(self, t):
        q, k, v = self.qkv(t).chunk(3, -1)
        a = (q @ k.transpose(-1, -2) / q.shape[-1] ** 0.5).softmax(-1)
        return self.proj(a @ v)

    def windows(self, x):
        b, h, w, c = x.shape
        n = self.win
        t = x.view(b, h // n, n, w // n, n, c).transpose(2, 3).reshape(-1, n * n, c)
        t = self.attend(t)
        return t.view(b, h // n, w // n, n, n, c).transpose(2, 3).reshape(b, h, w, c)

    def forward(self, x):
        s = self.shift
        y = torch.roll(self.norm(x), shifts=(-s, -s), dims=(1, 2))
        y = self.windows(y)
        y = torch.roll(y, shifts=(s, s), dims=(1, 2))  # original
        return x + y


class ShiftedWindowPort(ShiftedWindow):
    def forward(self, x):
        s = self.shift
        y = torch.roll(self.norm(x), shifts=(-s, -s), dims=(1, 2))
        y = self.windows(y)
        y = torch.roll(y, shifts=(s, s), dims=(1, 1))  # planted
        return x + y


@pair(
    "swin_shift_back",
    "vision",
    "the cyclic shift is undone with roll over the height axis twice, never over the width",
    "unusual",
    ("roll", "shift", "shifted", "width", "height", "axis"),
)
def make(seed):
    torch.manual_seed(seed)
    a, b = ShiftedWindowPort().eval(), ShiftedWindow().eval()
    a.load_state_dict(b.state_dict())
    return a, b, (torch.randn(2, 8, 12, 8),)


@pair(
    "biquad_state",
    "numpy port",
    "biquad: x1 is overwritten before x2 takes it, so both input delays hold the same sample x[n-1]",
    "unusual",
    ("delay", "state", "x2", "b2", "biquad", "tap"),
)
def make(seed):
    torch.manual_seed(seed)
    w0 = 2 * math.pi * 0.12
    alpha = math.sin(w0) / (2 * 0.9)
    a0 = 1 + alpha
    b0, b1, b2 = (1 - math.cos(w0)) / 2 / a0, (1 - math.cos(w0)) / a0, (1 - math.cos(w0)) / 2 / a0
    a1, a2 = -2 * math.cos(w0) / a0, (1 - alpha) / a0

    def expected(x):
        x1 = x2 = y1 = y2 = torch.zeros(x.shape[0])
        out = []
        for n in range(x.shape[1]):
            xn = x[:, n]
            y = b0 * xn + b1 * x1 + b2 * x2 - a1 * y1 - a2 * y2
            x2, x1 = x1, xn  # original
            y2, y1 = y1, y
            out.append(y)
        return torch.stack(out, 1)

    def actual(x):
        x = x.numpy()
        x1 = x2 = y1 = y2 = np.zeros(x.shape[0], dtype=np.float32)
        out = np.empty_like(x)
        for n in range(x.shape[1]):
            xn = x[:, n]
            y = b0 * xn + b1 * x1 + b2 * x2 - a1 * y1 - a2 * y2
            x1 = xn
            x2 = x1  # planted
            y2 = y1
            y1 = y
            out[:, n] = y
        return out

    return actual, expected, (torch.randn(3, 100),)


@pair(
    "delta_features",
    "audio",
    "delta features pad the edges by reflect instead of replicate",
    "unusual",
    ("edge", "edges", "reflect", "replicate", "pad", "padding"),
)
def make(seed):
    torch.manual_seed(seed)
    feats = torch.cumsum(torch.randn(2, 6, 40), -1)

    def expected(f):
        n = 2
        kernel = torch.arange(-n, n + 1, dtype=torch.float32).repeat(6, 1, 1)
        padded = F.pad(f, (n, n), mode="replicate")  # original
        d = F.conv1d(padded, kernel, groups=6) / (2 * sum(i * i for i in range(1, n + 1)))
        return torch.cat([f, d], 1)

    def actual(f):
        n, t = 2, f.shape[-1]
        padded = F.pad(f, (n, n), mode="reflect")  # planted
        num = torch.zeros_like(f)
        for i in range(1, n + 1):
            num += i * (padded[..., n + i : n + i + t] - padded[..., n - i : n - i + t])
        return torch.cat([f, num / 10.0], 1)

    return actual, expected, (feats,)


@pair(
    "mulaw_roundtrip",
    "audio",
    "mu-law decoding uses mu = 256 (the number of levels) instead of 255",
    "unusual",
    ("mu", "mu-law", "mulaw", "256", "255", "decode"),
)
def make(seed):
    torch.manual_seed(seed)
    wave = torch.tanh(torch.randn(2, 300) * 0.5)
    levels = 256

    def expected(x):
        mu = levels - 1
        y = torch.sign(x) * torch.log1p(mu * x.abs()) / math.log1p(mu)
        code = ((y + 1) / 2 * mu + 0.5).floor()
        y = 2 * code / mu - 1
        return torch.sign(y) * ((1 + mu) ** y.abs() - 1) / mu  # original

    def actual(x):
        mu = levels - 1
        y = torch.sign(x) * torch.log1p(mu * x.abs()) / math.log1p(mu)
        code = ((y + 1) / 2 * mu + 0.5).floor()
        y = 2 * code / mu - 1
        return torch.sign(y) * ((1 + levels) ** y.abs() - 1) / levels  # planted

    return actual, expected, (wave,)


def box_iou(box, boxes):
    lt = torch.maximum(box[:2], boxes[:, :2])
    rb = torch.minimum(box[2:], boxes[:, 2:])
    inter = (rb - lt).clamp(min=0).prod(-1)
    area = (boxes[:, 2:] - boxes[:, :2]).prod(-1)
    return inter / ((box[2:] - box[:2]).prod() + area - inter)


@pair(
    "soft_nms_decay",
    "vision",
    "soft NMS: Gaussian decay uses IoU instead of IoU squared",
    "unusual",
    ("iou", "squared", "square", "decay", "gaussian", "exponent"),
)
def make(seed):
    torch.manual_seed(seed)
    centre = torch.rand(14, 2) * 12
    size = torch.rand(14, 2) * 6 + 3
    boxes = torch.cat([centre - size / 2, centre + size / 2], 1)
    scores = torch.rand(14) * 0.9 + 0.1

    def expected(boxes, scores):
        s, out = scores.clone(), torch.zeros_like(scores)
        alive = torch.ones_like(s, dtype=torch.bool)
        for _ in range(len(s)):
            i = int(torch.where(alive, s, torch.full_like(s, -1.0)).argmax())
            out[i], alive[i] = s[i], False
            iou = box_iou(boxes[i], boxes)
            s = torch.where(alive, s * torch.exp(-(iou**2) / 0.5), s)  # original
        return out

    def actual(boxes, scores):
        s, out = scores.clone(), torch.zeros_like(scores)
        alive = torch.ones_like(s, dtype=torch.bool)
        for _ in range(len(s)):
            i = int(torch.where(alive, s, torch.full_like(s, -1.0)).argmax())
            out[i], alive[i] = s[i], False
            iou = box_iou(boxes[i], boxes)
            s = torch.where(alive, s * torch.exp(-iou / 0.5), s)  # planted
        return out

    return actual, expected, (boxes, scores)


@pair(
    "auc_ties",
    "metric",
    "AUC counts ties between positives and negatives as full wins instead of half",
    "unusual",
    ("tie", "ties", "tied", "equal", "half"),
    scalar=True,
)
def make(seed):
    torch.manual_seed(seed)
    label = torch.arange(40) % 3 == 0
    score = torch.round((torch.rand(40) + 0.4 * label) * 10) / 10

    def expected(score, label):
        pos, neg = score[label], score[~label]
        d = pos[:, None] - neg[None, :]
        wins = (d > 0).float() + 0.5 * (d == 0).float()  # original
        return wins.mean()

    def actual(score, label):
        pos, neg = score[label], score[~label]
        d = pos[:, None] - neg[None, :]
        wins = (d >= 0).float()  # planted
        return wins.mean()

    return actual, expected, (score, label)


@pair(
    "calibration_error",
    "numpy port",
    "expected calibration error weights all bins equally instead of by their number of samples",
    "unusual",
    ("weight", "weighted", "weights", "bins", "count", "equally"),
    scalar=True,
)
def make(seed):
    torch.manual_seed(seed)
    logits = torch.randn(120, 5) * 2
    target = torch.where(torch.rand(120) < 0.6, logits.argmax(1), torch.randint(0, 5, (120,)))

    def expected(logits, target):
        conf, pred = logits.softmax(1).max(1)
        hit = (pred == target).float()
        which = (conf * 10).long().clamp(max=9)
        ece = torch.zeros(())
        for k in range(10):
            m = which == k
            if m.any():
                gap = (hit[m].mean() - conf[m].mean()).abs()
                ece = ece + gap * m.float().mean()  # original
        return ece

    def actual(logits, target):
        z = logits.numpy()
        p = np.exp(z - z.max(1, keepdims=True))
        p /= p.sum(1, keepdims=True)
        conf, hit = p.max(1), (p.argmax(1) == target.numpy()).astype(np.float32)
        which = np.minimum((conf * 10).astype(np.int64), 9)
        gaps = np.zeros(10, dtype=np.float32)
        for k in np.unique(which):
            gaps[k] = abs(hit[which == k].mean() - conf[which == k].mean())
        return gaps.mean()  # planted

    return actual, expected, (logits, target)


@pair(
    "verlet_energy",
    "physics",
    "kinetic energy taken from the half-step velocity instead of the full-step velocity at the end of Verlet",
    "unusual",
    ("half", "half-step", "velocity", "kinetic", "step"),
    scalar=True,
)
def make(seed):
    torch.manual_seed(seed)
    x0, v0 = torch.randn(8), torch.randn(8)
    dt = 0.002

    def force(x):
        left = F.pad(x, (1, 0))[:-1]
        right = F.pad(x, (0, 1))[1:]
        return left + right - 2 * x

    def potential(x):
        d = torch.diff(F.pad(x, (1, 1)))
        return 0.5 * d.square().sum()

    def expected(x, v):
        f = force(x)
        for _ in range(20):
            half = v + 0.5 * dt * f
            x = x + dt * half
            f = force(x)
            v = half + 0.5 * dt * f
        kinetic = 0.5 * v.square().sum()  # original
        return kinetic + potential(x)

    def actual(x, v):
        f = force(x)
        for _ in range(20):
            half = v + 0.5 * dt * f
            x = x + dt * half
            f = force(x)
            v = half + 0.5 * dt * f
        kinetic = 0.5 * half.square().sum()  # planted
        return kinetic + potential(x)

    return actual, expected, (x0, v0)


class BiGRU(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.GRU(6, 5, num_layers=2, bidirectional=True, batch_first=True)
        self.out = nn.Linear(10, 4)

    def forward(self, x):
        h, _ = self.rnn(x)
        return self.out(h)


class BiGRUPort(nn.Module):
    def __init__(self, ref):
        super().__init__()
        self.p = nn.ParameterDict({k: v.detach().clone() for k, v in ref.rnn.named_parameters()})
        self.out = nn.Linear(10, 4)
        self.out.load_state_dict(ref.out.state_dict())

    def scan(self, x, tag):
        wi, wh = self.p["weight_ih_" + tag], self.p["weight_hh_" + tag]
        bi, bh = self.p["bias_ih_" + tag], self.p["bias_hh_" + tag]
        h, out = x.new_zeros(x.shape[0], 5), []
        for t in range(x.shape[1]):
            ir, iz, i_n = F.linear(x[:, t], wi, bi).chunk(3, -1)
            hr, hz, hn = F.linear(h, wh, bh).chunk(3, -1)
            z = torch.sigmoid(iz + hz)
            h = (1 - z) * torch.tanh(i_n + torch.sigmoid(ir + hr) * hn) + z * h
            out.append(h)
        return torch.stack(out, 1)

    def forward(self, x):
        fwd = self.scan(x, "l0")
        bwd = self.scan(x.flip(1), "l0_reverse").flip(1)
        x = torch.cat([fwd, bwd], -1)
        fwd = self.scan(x, "l1")
        bwd = self.scan(x.flip(1), "l1_reverse")  # planted
        return self.out(torch.cat([fwd, bwd], -1))


@pair(
    "bigru_second_layer",
    "sequence",
    "the backward direction's outputs of the second layer are not flipped back in time (left time-reversed)",
    "unusual",
    ("reverse", "reversed", "flip", "flipped", "backward", "time"),
)
def make(seed):
    torch.manual_seed(seed)
    ref = BiGRU().eval()
    return BiGRUPort(ref).eval(), ref, (torch.randn(3, 9, 6),)


@pair(
    "yuv_digits",
    "vision",
    "luma row of the RGB to YUV matrix: green coefficient 0.578 instead of 0.587 (digits swapped)",
    "unusual",
    ("0.578", "0.587", "green", "luma", "coefficient", "yuv"),
)
def make(seed):
    torch.manual_seed(seed)
    img = torch.rand(2, 3, 12, 14)

    def expected(x):
        m = torch.tensor(
            [
                [0.299, 0.587, 0.114],  # original
                [-0.14713, -0.28886, 0.436],
                [0.615, -0.51499, -0.10001],
            ]
        )
        return torch.einsum("ij,bjhw->bihw", m, x)

    def actual(x):
        r, g, b = x.unbind(1)
        y = 0.299 * r + 0.578 * g + 0.114 * b  # planted
        u = -0.14713 * r - 0.28886 * g + 0.436 * b
        v = 0.615 * r - 0.51499 * g - 0.10001 * b
        return torch.stack([y, u, v], 1)

    return actual, expected, (img,)


@pair(
    "srgb_encode",
    "vision",
    "sRGB encoding switches from the linear segment at 0.04045 (threshold of the decoder) instead of 0.0031308",
    "unusual",
    ("threshold", "0.04045", "0.0031308", "srgb", "linear", "dark"),
)
def make(seed):
    torch.manual_seed(seed)
    linear = torch.rand(2, 3, 16, 16)
    exposure = torch.tensor([0.9, 1.0, 0.8]).view(3, 1, 1)

    def expected(x):
        x = (x * exposure).clamp(0, 1)
        low = 12.92 * x
        high = 1.055 * x.clamp(min=1e-8) ** (1 / 2.4) - 0.055
        return torch.where(x <= 0.0031308, low, high)  # original

    def actual(x):
        x = (x * exposure).clamp(0, 1)
        low = 12.92 * x
        high = 1.055 * x.clamp(min=1e-8) ** (1 / 2.4) - 0.055
        return torch.where(x <= 0.04045, low, high)  # planted

    return actual, expected, (linear,)


@pair(
    "heat_left_edge",
    "physics",
    "heat equation: the left boundary wraps around (periodic by roll) instead of being insulated",
    "unusual",
    ("boundary", "wrap", "wraps", "periodic", "left", "roll"),
)
def make(seed):
    torch.manual_seed(seed)
    u0 = torch.cumsum(torch.randn(3, 32), -1)

    def expected(u):
        for _ in range(10):
            p = F.pad(u.unsqueeze(1), (1, 1), mode="replicate").squeeze(1)  # original
            u = u + 0.2 * (p[:, 2:] - 2 * u + p[:, :-2])
        return u

    def actual(u):
        for _ in range(10):
            left = torch.roll(u, 1, dims=-1)  # planted
            right = torch.cat([u[:, 1:], u[:, -1:]], -1)
            u = u + 0.2 * (left + right - 2 * u)
        return u

    return actual, expected, (u0,)


@pair(
    "lj_box",
    "physics",
    "minimum image of the periodic box applied along x and y only, z axis is left unwrapped",
    "unusual",
    ("periodic", "image", "box", "z", "wrap", "axis"),
    scalar=True,
)
def make(seed):
    torch.manual_seed(seed)
    grid = torch.stack(torch.meshgrid(*[torch.arange(3.0)] * 3, indexing="ij"), -1).view(-1, 3)
    pos = grid * 1.3 + 0.1 * torch.randn(27, 3)
    box, cut = 3.9, 1.9

    def energy(d):
        r2 = d.square().sum(-1)
        keep = torch.triu(torch.ones_like(r2), 1).bool() & (r2 < cut**2)
        s6 = r2[keep] ** -3
        return (4 * (s6 * s6 - s6)).sum()

    def expected(pos):
        d = pos[:, None] - pos[None]
        d = d - box * torch.round(d / box)  # original
        return energy(d)

    def actual(pos):
        d = pos[:, None] - pos[None]
        d[..., :2] -= box * torch.round(d[..., :2] / box)  # planted
        return energy(d)

    return actual, expected, (pos,)


@pair(
    "bleu_reference_length",
    "metric",
    "BLEU's brevity penalty takes the longest reference length instead of the closest one",
    "unusual",
    ("brevity", "penalty", "length", "longest", "closest", "reference"),
    scalar=True,
)
def make(seed):
    torch.manual_seed(seed)
    hyp = torch.randint(0, 4, (12,))
    ref_a = torch.cat([hyp[:9], torch.randint(0, 4, (4,))])
    ref_b = torch.cat([torch.randint(0, 4, (4,)), hyp[3:], torch.randint(0, 4, (3,))])

    def grams(t, n):
        t = t.tolist()
        return Counter(tuple(t[i : i + n]) for i in range(len(t) - n + 1))

    def precision(hyp, refs, n):
        h, best = grams(hyp, n), Counter()
        for r in refs:
            best |= grams(r, n)
        return sum((h & best).values()) / sum(h.values())

    def expected(hyp, ref_a, ref_b):
        refs = [ref_a, ref_b]
        logs = [math.log(max(precision(hyp, refs, n), 1e-9)) for n in (1, 2, 3)]
        r = min((len(t) for t in refs), key=lambda k: (abs(k - len(hyp)), k))  # original
        bp = min(0.0, 1 - r / len(hyp))
        return torch.tensor(math.exp(bp + sum(logs) / 3))

    def actual(hyp, ref_a, ref_b):
        refs = [ref_a, ref_b]
        logs = [math.log(max(precision(hyp, refs, n), 1e-9)) for n in (1, 2, 3)]
        r = max(len(t) for t in refs)  # planted
        bp = min(0.0, 1 - r / len(hyp))
        return torch.tensor(math.exp(bp + sum(logs) / 3))

    return actual, expected, (hyp, ref_a, ref_b)


@pair(
    "gmm_log_likelihood",
    "scalar loss",
    "log-determinant sums the log variances over the components instead of the dimensions (axis 0, same size)",
    "unusual",
    ("axis", "determinant", "logdet", "log-determinant", "variance", "components"),
    scalar=True,
)
def make(seed):
    torch.manual_seed(seed)
    mu = torch.randn(4, 4)
    logvar = torch.randn(4, 4) * 0.6
    logits = torch.randn(4)

    def expected(x):
        d = torch.distributions.Independent(torch.distributions.Normal(mu, (0.5 * logvar).exp()), 1)  # original
        mix = torch.distributions.MixtureSameFamily(torch.distributions.Categorical(logits=logits), d)
        return mix.log_prob(x).mean()

    def actual(x):
        quad = ((x[:, None] - mu).square() * torch.exp(-logvar)).sum(-1)
        logdet = logvar.sum(0)  # planted
        logp = -0.5 * (quad + logdet + 4 * math.log(2 * math.pi))
        return torch.logsumexp(logp + torch.log_softmax(logits, 0), -1).mean()

    return actual, expected, (torch.randn(20, 4),)


@pair(
    "spectral_entropy",
    "metric",
    "spectral entropy normalises the power by a sum that leaves out the DC bin (slice from 1)",
    "unusual",
    ("dc", "bin", "normalise", "normalisation", "slice", "sum"),
    scalar=True,
)
def make(seed):
    torch.manual_seed(seed)
    t = torch.arange(128) / 128
    wave = torch.sin(2 * math.pi * 9 * t) + 0.5 * torch.randn(3, 128)

    def expected(x):
        power = torch.fft.rfft(x * torch.hann_window(128)).abs().square()
        p = power / power.sum(-1, keepdim=True)  # original
        h = -(p * torch.log(p + 1e-12)).sum(-1)
        return (h / math.log(p.shape[-1])).mean()

    def actual(x):
        power = torch.fft.rfft(x * torch.hann_window(128)).abs().square()
        p = power / power[..., 1:].sum(-1, keepdim=True)  # planted
        h = -(p * torch.log(p + 1e-12)).sum(-1)
        return (h / math.log(p.shape[-1])).mean()

    return actual, expected, (wave,)


class SwitchMoE(nn.Module):
    def __init__(self, experts=3, dim=6, capacity=5):
        super().__init__()
        self.capacity, self.n = capacity, experts
        self.gate = nn.Linear(dim, experts)
        self.experts = nn.ModuleList(nn.Sequential(nn.Linear(dim, 10), nn.ReLU(), nn.Linear(10, dim)) for _ in range(experts))

    def slots(self, onehot):
        return onehot.cumsum(0) - 1  # original

    def forward(self, x):
        prob, pick = self.gate(x).softmax(-1).max(-1)
        onehot = F.one_hot(pick, self.n)
        kept = (self.slots(onehot) < self.capacity) & onehot.bool()
        y = torch.zeros_like(x)
        for e, f in enumerate(self.experts):
            idx = kept[:, e].nonzero().squeeze(-1)
            y[idx] = f(x[idx]) * prob[idx, None]
        return x + y


class SwitchMoEPort(SwitchMoE):
    def slots(self, onehot):
        return onehot.flip(0).cumsum(0).flip(0) - 1  # planted


@pair(
    "expert_capacity",
    "sequence",
    "expert capacity is filled from the end of the sequence (reversed cumsum), so early tokens are dropped instead of late ones",
    "unusual",
    ("capacity", "reversed", "reverse", "dropped", "cumsum", "order"),
)
def make(seed):
    torch.manual_seed(seed)
    a, b = SwitchMoEPort().eval(), SwitchMoE().eval()
    a.load_state_dict(b.state_dict())
    return a, b, (torch.randn(24, 6),)


# --------------------------------------------------------------------------
# honest
# --------------------------------------------------------------------------


@pair("patch_embed", "vision", "", "honest", gradients=True)
def make(seed):
    torch.manual_seed(seed)
    w, b = torch.randn(10, 3, 4, 4) / 7, torch.randn(10) * 0.1
    pos = torch.randn(1, 20, 10) * 0.02

    def expected(x):
        return F.conv2d(x, w, b, stride=4).flatten(2).transpose(1, 2) + pos

    def actual(x):
        n, c, h, wd = x.shape
        p = x.reshape(n, c, h // 4, 4, wd // 4, 4).permute(0, 2, 4, 3, 5, 1)
        p = p.reshape(n, -1, 4 * 4 * c)
        flat = w.permute(2, 3, 1, 0).reshape(4 * 4 * c, 10)
        return p @ flat + b + pos

    return actual, expected, (torch.randn(2, 3, 16, 20),)


@pair("pixel_shuffle", "vision", "", "honest")
def make(seed):
    torch.manual_seed(seed)
    w, b = torch.randn(12, 4, 3, 3) / 6, torch.randn(12) * 0.1

    def expected(x):
        return torch.tanh(F.pixel_shuffle(F.conv2d(x, w, b, padding=1), 2))

    def actual(x):
        y = F.conv2d(x, w, b, padding=1)
        n, c, h, wd = y.shape
        out = y.new_zeros(n, c // 4, 2 * h, 2 * wd)
        for i in range(2):
            for j in range(2):
                out[:, :, i::2, j::2] = y[:, 2 * i + j :: 4]
        return out.tanh()

    return actual, expected, (torch.randn(2, 4, 6, 7),)


@pair("dilated_depthwise", "conv net", "", "honest")
def make(seed):
    torch.manual_seed(seed)
    w, b = torch.randn(6, 1, 3, 3) / 3, torch.randn(6) * 0.1
    pw = torch.randn(9, 6) / 2

    def expected(x):
        h = F.conv2d(x, w, b, padding=2, dilation=2, groups=6)
        return F.conv2d(F.hardswish(h), pw[:, :, None, None])

    def actual(x):
        p = F.pad(x, (2, 2, 2, 2))
        h = b.view(-1, 1, 1).expand_as(x).clone()
        for i in range(3):
            for j in range(3):
                tap = w[:, 0, i, j].view(-1, 1, 1)
                h = h + tap * p[:, :, 2 * i : 2 * i + x.shape[2], 2 * j : 2 * j + x.shape[3]]
        h = h * (h + 3).clamp(0, 6) / 6
        return torch.einsum("oc,bchw->bohw", pw, h)

    return actual, expected, (torch.randn(2, 6, 8, 9),)


@pair("overlap_add", "numpy port", "", "honest")
def make(seed):
    torch.manual_seed(seed)
    frames = torch.randn(2, 15, 32)
    hop = 8

    def expected(f):
        win = torch.hamming_window(32)
        length = (f.shape[1] - 1) * hop + 32

        def ola(z):
            return F.fold(z.transpose(1, 2), (1, length), (1, 32), stride=(1, hop)).flatten(1)

        norm = ola((win * win).expand(1, f.shape[1], 32).contiguous())
        return ola(f * win) / norm

    def actual(f):
        f = f.numpy()
        win = (0.54 - 0.46 * np.cos(2 * np.pi * np.arange(32) / 32)).astype(np.float32)
        out = np.zeros((f.shape[0], (f.shape[1] - 1) * hop + 32), dtype=np.float32)
        env = np.zeros(out.shape[1], dtype=np.float32)
        for k in range(f.shape[1]):
            out[:, k * hop : k * hop + 32] += f[:, k] * win
            env[k * hop : k * hop + 32] += win**2
        return out / env

    return actual, expected, (frames,)


@pair("label_smoothing", "scalar loss", "", "honest", scalar=True)
def make(seed):
    torch.manual_seed(seed)

    def expected(logits, target):
        return F.cross_entropy(logits, target, label_smoothing=0.1)

    def actual(logits, target):
        shifted = logits - logits.amax(-1, keepdim=True)
        lse = shifted.exp().sum(-1).log()
        hit = shifted.gather(1, target[:, None]).squeeze(1)
        per = 0.9 * (lse - hit) + 0.1 * (lse - shifted.mean(-1))
        return per.sum() / len(per)

    return actual, expected, (torch.randn(12, 7) * 2, torch.randint(0, 7, (12,)))


@pair("pearson", "metric", "", "honest", scalar=True)
def make(seed):
    torch.manual_seed(seed)
    x = torch.randn(60)
    y = 0.8 * x + 0.5 * torch.randn(60)

    def expected(x, y):
        return F.cosine_similarity(x - x.mean(), y - y.mean(), dim=0)

    def actual(x, y):
        x, y = x.numpy(), y.numpy()
        cov = ((x - x.mean()) * (y - y.mean())).sum() / (len(x) - 1)
        return np.asarray(cov / (x.std(ddof=1) * y.std(ddof=1)), dtype=np.float32)

    return actual, expected, (x, y)


class TopTwo(nn.Module):
    def __init__(self):
        super().__init__()
        self.gate = nn.Linear(8, 4, bias=False)
        self.up = nn.Parameter(torch.randn(4, 8, 12) / 3)
        self.down = nn.Parameter(torch.randn(4, 12, 8) / 3)

    def forward(self, x):
        p = self.gate(x).softmax(-1)
        w, idx = p.topk(2, dim=-1)
        w = w / w.sum(-1, keepdim=True)
        y = torch.zeros_like(x)
        for k in range(2):
            for e in range(4):
                m = idx[:, k] == e
                y[m] = y[m] + w[m, k, None] * (F.silu(x[m] @ self.up[e]) @ self.down[e])
        return y


class TopTwoDense(TopTwo):
    def forward(self, x):
        g = self.gate(x)
        second = g.sort(-1, descending=True).values[:, 1:2]
        w = g.masked_fill(g < second, float("-inf")).softmax(-1)
        h = F.silu(torch.einsum("td,edf->tef", x, self.up))
        return torch.einsum("te,tef,efd->td", w, h, self.down)


@pair("top_two_experts", "sequence", "", "honest")
def make(seed):
    torch.manual_seed(seed)
    a, b = TopTwoDense().eval(), TopTwo().eval()
    a.load_state_dict(b.state_dict())
    return a, b, (torch.randn(14, 8),)


@pair("ssim", "metric", "", "honest", scalar=True)
def make(seed):
    torch.manual_seed(seed)
    x = torch.rand(1, 3, 20, 20)
    y = (x + 0.15 * torch.randn_like(x)).clamp(0, 1)
    g = torch.exp(-((torch.arange(7) - 3.0) ** 2) / (2 * 1.5**2))
    g = g / g.sum()
    c1, c2 = 0.01**2, 0.03**2

    def expected(x, y):
        k = torch.outer(g, g).expand(3, 1, 7, 7)
        blur = lambda t: F.conv2d(t, k, groups=3)
        mx, my = blur(x), blur(y)
        vx, vy = blur(x * x) - mx * mx, blur(y * y) - my * my
        cxy = blur(x * y) - mx * my
        s = (2 * mx * my + c1) * (2 * cxy + c2) / ((mx**2 + my**2 + c1) * (vx + vy + c2))
        return s.mean()

    def actual(x, y):
        def blur(t):
            t = (t.unfold(3, 7, 1) * g).sum(-1)
            return (t.unfold(2, 7, 1) * g).sum(-1)

        mx, my = blur(x), blur(y)
        vsum = blur(x * x + y * y) - mx.square() - my.square()
        cxy = blur(x * y) - mx * my
        lum = (2 * mx * my + c1) / (mx.square() + my.square() + c1)
        return (lum * (2 * cxy + c2) / (vsum + c2)).mean()

    return actual, expected, (x, y)


@pair("smoothing_scan", "signal", "", "honest")
def make(seed):
    torch.manual_seed(seed)
    a = 0.85

    def expected(x):
        s, out = x[:, 0], [x[:, 0]]
        for t in range(1, x.shape[1]):
            s = a * s + (1 - a) * x[:, t]
            out.append(s)
        return torch.stack(out, 1)

    def actual(x):
        n = x.shape[1]
        lag = torch.arange(n)[:, None] - torch.arange(n)[None]
        k = torch.where(lag >= 0, (1 - a) * a ** lag.clamp(min=0).float(), torch.zeros(()))
        k[:, 0] = a ** torch.arange(n).float()
        return torch.einsum("ts,bsd->btd", k, x)

    return actual, expected, (torch.randn(2, 40, 3),)


@pair("auc_ranks", "metric", "", "honest", scalar=True)
def make(seed):
    torch.manual_seed(seed)
    label = torch.rand(50) < 0.4
    score = torch.randn(50) + label.float()

    def expected(score, label):
        pos, neg = score[label], score[~label]
        return (pos[:, None] > neg[None]).float().mean()

    def actual(score, label):
        order = score.argsort()
        rank = torch.empty_like(score)
        rank[order] = torch.arange(1, len(score) + 1, dtype=score.dtype)
        n = label.sum()
        u = rank[label].sum() - n * (n + 1) / 2
        return u / (n * (len(score) - n))

    return actual, expected, (score, label)
