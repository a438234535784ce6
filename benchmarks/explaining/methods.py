"""Ports of state space models, optimizers, diffusion, graphs, geometry and much else. Written without sight of halfulp.

`# planted` marks the line of the mistake, `# original` what stands there in the original.
"""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import nn

from .registry import Fresh, entering

PAIRS: list[Fresh] = []

# the first optimizer made in a process loads much of torch; do that here, not inside a pair
torch.optim.SGD([nn.Parameter(torch.zeros(1))], lr=0.1)


def pair(id, group, kind, cause="", *rest, **named):
    return entering(PAIRS)(id, group, cause, kind, *rest, **named)


def spread(module, std=0.2):
    """Give affine parameters (norm weights, biases) values other than 1 and 0."""
    with torch.no_grad():
        for p in module.parameters():
            if p.dim() == 1:
                p.add_(torch.randn_like(p) * std)
    return module


# =====================================================================================
# usual
# =====================================================================================


# --- cross attention: scale ----------------------------------------------------------
class CrossAttention(nn.Module):
    def __init__(self, dim, ctx_dim, heads):
        super().__init__()
        self.heads = heads
        self.norm = nn.LayerNorm(dim)
        self.to_q = nn.Linear(dim, dim, bias=False)
        self.to_kv = nn.Linear(ctx_dim, 2 * dim, bias=False)
        self.to_out = nn.Linear(dim, dim)

    def split(self, t):
        b, n, d = t.shape
        return t.view(b, n, self.heads, d // self.heads).transpose(1, 2)

    def forward(self, x, context):
        q = self.split(self.to_q(self.norm(x)))
        k, v = self.to_kv(context).chunk(2, dim=-1)
        k, v = self.split(k), self.split(v)
        out = F.scaled_dot_product_attention(q, k, v)  # original
        out = out.transpose(1, 2).flatten(2)
        return x + self.to_out(out)


class CrossAttentionPort(CrossAttention):
    def __init__(self, dim, ctx_dim, heads):
        super().__init__(dim, ctx_dim, heads)
        self.scale = dim**-0.5  # planted

    def forward(self, x, context):
        q = self.split(self.to_q(self.norm(x)))
        k, v = self.to_kv(context).chunk(2, dim=-1)
        k, v = self.split(k), self.split(v)
        sim = torch.einsum("bhid,bhjd->bhij", q, k) * self.scale
        attn = sim.softmax(dim=-1)
        out = torch.einsum("bhij,bhjd->bhid", attn, v)
        out = out.transpose(1, 2).flatten(2)
        return x + self.to_out(out)


@pair(
    "cross_attention_scale_model_dim",
    "attention",
    "usual",
    "attention logits scaled by the square root of the full model width instead of the head width",
    ("scale", "scaling", "head_dim", "sqrt", "temperature"),
    gradients=True,
)
def _(seed):
    torch.manual_seed(seed)
    expected = CrossAttention(32, 24, 4)
    with torch.no_grad():
        expected.to_q.weight.mul_(2.5)
        expected.to_kv.weight.mul_(2.0)
    actual = CrossAttentionPort(32, 24, 4)
    actual.load_state_dict(expected.state_dict())
    return actual, expected, (torch.randn(2, 10, 32), torch.randn(2, 7, 24))


# --- local attention: window off by one ----------------------------------------------
class LocalAttention(nn.Module):
    def __init__(self, dim, window):
        super().__init__()
        self.window = window
        self.qkv = nn.Linear(dim, 3 * dim)
        self.proj = nn.Linear(dim, dim)

    def mask(self, n, device):
        i = torch.arange(n, device=device)
        dist = i[:, None] - i[None, :]
        return (dist >= 0) & (dist <= self.window)  # original

    def forward(self, x):
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
        scores = scores.masked_fill(~self.mask(x.shape[1], x.device), float("-inf"))
        return self.proj(F.softmax(scores, dim=-1) @ v)


class LocalAttentionPort(LocalAttention):
    def mask(self, n, device):
        ones = torch.ones(n, n, dtype=torch.bool, device=device)
        return torch.tril(ones) & torch.triu(ones, -(self.window - 1))  # planted


@pair(
    "local_attention_window_short",
    "attention",
    "usual",
    "the sliding window mask of the local attention is one position too narrow",
    ("window", "mask", "off-by-one", "band", "local"),
)
def _(seed):
    torch.manual_seed(seed)
    expected = LocalAttention(24, 4)
    actual = LocalAttentionPort(24, 4)
    actual.load_state_dict(expected.state_dict())
    return actual, expected, (torch.randn(2, 16, 24),)


# --- AdamW: coupled decay -------------------------------------------------------------
@pair(
    "adamw_coupled_decay",
    "optimizer",
    "usual",
    "weight decay is added to the gradient (L2) instead of being applied to the weights, decoupled",
    ("decay", "decoupled", "l2", "adamw"),
)
def _(seed):
    torch.manual_seed(seed)
    lr, b1, b2, eps, wd = 1e-2, 0.9, 0.999, 1e-8, 0.1

    def expected(p, grads):
        w = nn.Parameter(p.detach().clone())
        opt = torch.optim.AdamW([w], lr=lr, betas=(b1, b2), eps=eps, weight_decay=wd)  # original
        for g in grads:
            w.grad = g.clone()
            opt.step()
        return w.detach() - p

    def actual(p, grads):
        w = p.clone()
        m = torch.zeros_like(p)
        v = torch.zeros_like(p)
        for t in range(1, grads.shape[0] + 1):
            g = grads[t - 1] + wd * w  # planted
            m = b1 * m + (1 - b1) * g
            v = b2 * v + (1 - b2) * g * g
            m_hat = m / (1 - b1**t)
            v_hat = v / (1 - b2**t)
            w = w - lr * m_hat / (v_hat.sqrt() + eps)
        return w - p

    return actual, expected, (torch.randn(12, 8), torch.randn(6, 12, 8))


# --- RMSprop: eps inside the root ------------------------------------------------------
@pair(
    "rmsprop_eps_inside_sqrt",
    "optimizer",
    "usual",
    "epsilon is added inside the square root of the second moment instead of after it",
    ("eps", "epsilon", "sqrt"),
)
def _(seed):
    torch.manual_seed(seed)
    lr, alpha, mom, eps = 1e-2, 0.95, 0.9, 1e-7

    def expected(p, grads):
        sq = torch.zeros_like(p)
        buf = torch.zeros_like(p)
        for g in grads:
            sq = alpha * sq + (1 - alpha) * g.square()
            denom = sq.sqrt() + eps  # original
            buf = mom * buf + g / denom
            p = p - lr * buf
        return p

    def actual(p, grads):
        sq = torch.zeros_like(p)
        buf = torch.zeros_like(p)
        for g in grads:
            sq = torch.lerp(sq, g * g, 1 - alpha)
            denom = torch.sqrt(sq + eps)  # planted
            buf = mom * buf + g / denom
            p = p - lr * buf
        return p

    return actual, expected, (torch.randn(10, 6), 0.01 * torch.randn(5, 10, 6))


# --- dice loss -------------------------------------------------------------------------
@pair(
    "dice_smooth_denominator_only",
    "loss",
    "usual",
    "the smoothing constant of the dice score is added to the denominator only",
    ("smooth", "smoothing", "numerator", "denominator", "eps", "epsilon"),
    scalar=True,
)
def _(seed):
    torch.manual_seed(seed)
    smooth = 1.0

    def expected(logits, target):
        prob = torch.sigmoid(logits).flatten(2)
        target = target.flatten(2)
        inter = (prob * target).sum(-1)
        total = prob.sum(-1) + target.sum(-1)
        dice = (2 * inter + smooth) / (total + smooth)  # original
        return 1 - dice.mean()

    def actual(logits, target):
        prob = logits.sigmoid()
        inter = torch.einsum("bchw,bchw->bc", prob, target)
        total = prob.sum(dim=(2, 3)) + target.sum(dim=(2, 3))
        dice = 2 * inter / (total + smooth)  # planted
        return 1 - dice.mean()

    return actual, expected, (torch.randn(2, 3, 8, 8), (torch.rand(2, 3, 8, 8) > 0.6).float())


# --- KL divergence reduction -------------------------------------------------------------
@pair(
    "distill_kl_mean_reduction",
    "loss",
    "usual",
    "the KL term of the distillation loss is averaged over all elements instead of over the batch",
    ("reduction", "batchmean", "mean", "batch"),
    scalar=True,
    gradients=True,
)
def _(seed):
    torch.manual_seed(seed)
    tau = 2.0

    def expected(student, teacher):
        log_q = F.log_softmax(student / tau, dim=-1)
        p = F.softmax(teacher / tau, dim=-1)
        return tau**2 * F.kl_div(log_q, p, reduction="batchmean")  # original

    def actual(student, teacher):
        log_q = F.log_softmax(student / tau, dim=-1)
        log_p = F.log_softmax(teacher / tau, dim=-1)
        kl = log_p.exp() * (log_p - log_q)
        return tau**2 * kl.mean()  # planted

    return actual, expected, (torch.randn(8, 5), torch.randn(8, 5))


# --- smooth l1 vs huber ----------------------------------------------------------------
@pair(
    "smooth_l1_without_beta_division",
    "loss",
    "usual",
    "Huber form (not divided by beta) used in place of the smooth L1 loss with beta 0.5",
    ("beta", "huber", "smooth", "delta", "0.5"),
    scalar=True,
)
def _(seed):
    torch.manual_seed(seed)
    beta = 0.5

    def expected(pred, target, weight):
        loss = F.smooth_l1_loss(pred, target, beta=beta, reduction="none")  # original
        return (loss.sum(-1) * weight).sum() / weight.sum()

    def actual(pred, target, weight):
        d = (pred - target).abs()
        quad = d.clamp(max=beta)
        lin = d - quad
        loss = 0.5 * quad**2 + beta * lin  # planted
        return (loss.sum(-1) * weight).sum() / weight.sum()

    return actual, expected, (torch.randn(12, 4), torch.randn(12, 4), torch.rand(12))


# --- triplet -----------------------------------------------------------------------------
class TripletHead(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Sequential(nn.Linear(16, 24), nn.ReLU(), nn.Linear(24, 8))

    def forward(self, a, p, n):
        a, p, n = (F.normalize(self.embed(t), dim=-1) for t in (a, p, n))
        return F.triplet_margin_loss(a, p, n, margin=0.3)  # original


class TripletHeadPort(TripletHead):
    def forward(self, a, p, n):
        a, p, n = (F.normalize(self.embed(t), dim=-1) for t in (a, p, n))
        d_ap = (a - p).pow(2).sum(dim=1)  # planted
        d_an = (a - n).pow(2).sum(dim=1)
        return F.relu(d_ap - d_an + 0.3).mean()


@pair(
    "triplet_squared_distance",
    "loss",
    "usual",
    "the triplet loss uses squared euclidean distances instead of plain ones",
    ("square", "squared", "distance", "sqrt", "norm"),
    scalar=True,
)
def _(seed):
    torch.manual_seed(seed)
    expected = TripletHead()
    actual = TripletHeadPort()
    actual.load_state_dict(expected.state_dict())
    return actual, expected, tuple(torch.randn(10, 16) for _ in range(3))


# --- bilinear resize in a feature pyramid ------------------------------------------------
class TopDown(nn.Module):
    def __init__(self):
        super().__init__()
        self.lat3 = nn.Conv2d(6, 8, 1)
        self.lat4 = nn.Conv2d(10, 8, 1)
        self.smooth = nn.Conv2d(8, 8, 3, padding=1)

    def forward(self, c3, c4):
        p4 = self.lat4(c4)
        up = F.interpolate(p4, size=c3.shape[-2:], mode="bilinear", align_corners=False)  # original
        return self.smooth(self.lat3(c3) + up)


class TopDownPort(TopDown):
    @staticmethod
    def axis(n_in, n_out):
        src = torch.arange(n_out) * (n_in - 1) / (n_out - 1)  # planted
        lo = src.floor().long().clamp(0, n_in - 1)
        hi = (lo + 1).clamp(max=n_in - 1)
        return lo, hi, src - lo

    def forward(self, c3, c4):
        p4 = self.lat4(c4)
        ylo, yhi, fy = self.axis(p4.shape[2], c3.shape[2])
        xlo, xhi, fx = self.axis(p4.shape[3], c3.shape[3])
        rows = p4[:, :, ylo] * (1 - fy)[:, None] + p4[:, :, yhi] * fy[:, None]
        up = rows[..., xlo] * (1 - fx) + rows[..., xhi] * fx
        return self.smooth(self.lat3(c3) + up)


@pair(
    "fpn_resize_align_corners",
    "vision",
    "usual",
    "the bilinear upsampling maps corners onto corners (align_corners) instead of half-pixel centres",
    ("align_corners", "corners", "half-pixel", "interpolate", "resize", "bilinear"),
)
def _(seed):
    torch.manual_seed(seed)
    expected = TopDown()
    actual = TopDownPort()
    actual.load_state_dict(expected.state_dict())
    return actual, expected, (torch.randn(1, 6, 12, 10), torch.randn(1, 10, 6, 5))


# --- STFT window -----------------------------------------------------------------------
@pair(
    "stft_symmetric_hann",
    "audio",
    "usual",
    "a symmetric Hann window (divided by n - 1) instead of the periodic one in the STFT",
    ("hann", "window", "periodic", "symmetric"),
)
def _(seed):
    torch.manual_seed(seed)
    n_fft, hop = 64, 16

    def expected(wave):
        window = torch.hann_window(n_fft)  # original
        spec = torch.stft(wave, n_fft, hop, window=window, center=True, pad_mode="reflect", return_complex=True)
        return spec.abs()

    def actual(wave):
        n = torch.arange(n_fft, dtype=torch.float32)
        window = 0.5 - 0.5 * torch.cos(2 * math.pi * n / (n_fft - 1))  # planted
        x = F.pad(wave[:, None], (n_fft // 2, n_fft // 2), mode="reflect")[:, 0]
        frames = x.unfold(-1, n_fft, hop) * window
        return torch.fft.rfft(frames, dim=-1).abs().transpose(1, 2)

    return actual, expected, (torch.randn(2, 320),)


# --- mel scale -----------------------------------------------------------------------
def _slaney_points(fmax, n):
    f_sp, min_log_hz = 200.0 / 3, 1000.0
    min_log_mel, logstep = min_log_hz / f_sp, math.log(6.4) / 27.0
    top = min_log_mel + math.log(fmax / min_log_hz) / logstep
    mels = torch.linspace(0.0, top, n)  # original
    lin = f_sp * mels
    return torch.where(mels >= min_log_mel, min_log_hz * torch.exp(logstep * (mels - min_log_mel)), lin)


def _htk_points(fmax, n):
    top = 2595.0 * math.log10(1.0 + fmax / 700.0)
    return 700.0 * (10.0 ** (torch.linspace(0.0, top, n) / 2595.0) - 1.0)  # planted


def _mel_bank(points, freqs):
    lower, centre, upper = points[:-2, None], points[1:-1, None], points[2:, None]
    up = (freqs - lower) / (centre - lower)
    down = (upper - freqs) / (upper - centre)
    return torch.minimum(up, down).clamp(min=0) * 2.0 / (upper - lower)


@pair(
    "mel_loss_htk_scale",
    "audio",
    "usual",
    "the mel filter bank uses the HTK mel formula instead of the Slaney one",
    ("mel", "htk", "slaney", "filterbank"),
    scalar=True,
)
def _(seed):
    torch.manual_seed(seed)
    sr, n_fft, n_mels = 16000, 256, 20

    def loss_with(points_of):
        def loss(a, b):
            window = torch.hann_window(n_fft)
            bank = _mel_bank(points_of(sr / 2, n_mels + 2), torch.linspace(0, sr / 2, n_fft // 2 + 1))
            logs = []
            for wave in (a, b):
                power = torch.stft(wave, n_fft, 64, window=window, return_complex=True).abs().square()
                logs.append(torch.log(bank @ power + 1e-5))
            return (logs[0] - logs[1]).abs().mean()

        return loss

    t = torch.arange(1024) / sr
    a = torch.sin(2 * math.pi * 700 * t)[None] + 0.1 * torch.randn(1, 1024)
    b = torch.sin(2 * math.pi * 1500 * t)[None] + 0.2 * torch.randn(1, 1024)
    return loss_with(_htk_points), loss_with(_slaney_points), (a, b)


# --- GCN ------------------------------------------------------------------------------
class GCN(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin1 = nn.Linear(6, 12, bias=False)
        self.lin2 = nn.Linear(12, 4, bias=False)
        self.bias1 = nn.Parameter(torch.randn(12) * 0.1)

    @staticmethod
    def propagate(x, edge_index):
        n = x.shape[0]
        loops = torch.arange(n).repeat(2, 1)
        src, dst = torch.cat([edge_index, loops], dim=1)
        deg = torch.zeros(n).index_add_(0, dst, torch.ones(dst.shape[0]))  # original
        norm = deg.pow(-0.5)
        w = norm[src] * norm[dst]
        return torch.zeros_like(x).index_add_(0, dst, x[src] * w[:, None])

    def forward(self, x, edge_index):
        h = F.relu(self.propagate(self.lin1(x), edge_index) + self.bias1)
        return self.propagate(self.lin2(h), edge_index)


class GCNPort(GCN):
    @staticmethod
    def propagate(x, edge_index):
        n = x.shape[0]
        adj = torch.zeros(n, n)
        adj[edge_index[1], edge_index[0]] = 1.0
        deg = adj.sum(dim=1).clamp(min=1)  # planted
        norm = torch.diag(deg.rsqrt())
        return norm @ (adj + torch.eye(n)) @ norm @ x


@pair(
    "gcn_degree_without_self_loops",
    "graph",
    "usual",
    "the degrees of the symmetric normalisation are counted before self loops are added",
    ("degree", "self", "loop", "loops", "normalisation", "normalization"),
)
def _(seed):
    torch.manual_seed(seed)
    n = 9
    adj = torch.triu(torch.rand(n, n) < 0.4, 1)
    adj[torch.arange(n - 1), torch.arange(1, n)] = True
    adj = adj | adj.T
    edge_index = adj.nonzero().T.contiguous()
    expected = GCN()
    actual = GCNPort()
    actual.load_state_dict(expected.state_dict())
    return actual, expected, (torch.randn(n, 6), edge_index)


# --- GRU ------------------------------------------------------------------------------
class GRUCellPort(nn.GRUCell):
    def forward(self, x, h):
        hid = self.hidden_size
        wi, wh, bi, bh = self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh
        gi = F.linear(x, wi[: 2 * hid], bi[: 2 * hid]) + F.linear(h, wh[: 2 * hid], bh[: 2 * hid])
        r, z = torch.sigmoid(gi).chunk(2, dim=-1)
        n = F.linear(x, wi[2 * hid :], bi[2 * hid :])
        n = torch.tanh(n + F.linear(r * h, wh[2 * hid :], bh[2 * hid :]))  # planted
        return (1 - z) * n + z * h


class GRUEncoder(nn.Module):
    def __init__(self, cell=nn.GRUCell):
        super().__init__()
        self.inp = nn.Linear(5, 8)
        self.cell = cell(8, 10)  # original
        self.head = nn.Linear(10, 3)

    def forward(self, x):
        h = x.new_zeros(x.shape[0], 10)
        outs = []
        for t in range(x.shape[1]):
            h = self.cell(self.inp(x[:, t]), h)
            outs.append(self.head(h))
        return torch.stack(outs, dim=1)


@pair(
    "gru_reset_before_matmul",
    "recurrent",
    "usual",
    "the GRU reset gate multiplies the hidden state before the recurrent matrix product instead of after it",
    ("reset", "gru", "gate", "candidate"),
)
def _(seed):
    torch.manual_seed(seed)
    expected = GRUEncoder()
    actual = GRUEncoder(GRUCellPort)
    actual.load_state_dict(expected.state_dict())
    return actual, expected, (torch.randn(3, 7, 5),)


# --- batch norm running statistics -----------------------------------------------------
@pair(
    "batchnorm_momentum_inverted",
    "norm",
    "usual",
    "the momentum of the running statistics has the opposite convention (0.1 kept instead of 0.1 taken)",
    ("momentum", "running", "ema", "moving"),
)
def _(seed):
    torch.manual_seed(seed)
    momentum = 0.1
    weight, bias = 1 + 0.1 * torch.randn(6), 0.1 * torch.randn(6)

    def expected(batches, x):
        mean, var = torch.zeros(6), torch.ones(6)
        for b in batches:
            F.batch_norm(b, mean, var, weight, bias, training=True, momentum=momentum)  # original
        return F.batch_norm(x, mean, var, weight, bias, training=False)

    def actual(batches, x):
        mean, var = torch.zeros(6), torch.ones(6)
        for b in batches:
            mean = momentum * mean + (1 - momentum) * b.mean(dim=(0, 2))  # planted
            var = momentum * var + (1 - momentum) * b.var(dim=(0, 2), unbiased=True)
        y = (x - mean[:, None]) * torch.rsqrt(var[:, None] + 1e-5)
        return y * weight[:, None] + bias[:, None]

    return actual, expected, (0.5 + 1.4 * torch.randn(4, 5, 6, 8), 0.5 + 1.4 * torch.randn(3, 6, 8))


# --- quaternion order ---------------------------------------------------------------------
@pair(
    "quaternion_scalar_last",
    "geometry",
    "usual",
    "the quaternion is read with the scalar part last (xyzw) instead of first (wxyz)",
    ("quaternion", "order", "wxyz", "xyzw", "scalar"),
)
def _(seed):
    torch.manual_seed(seed)

    def matrix(w, x, y, z):
        return torch.stack(
            [
                1 - 2 * (y * y + z * z),
                2 * (x * y - w * z),
                2 * (x * z + w * y),
                2 * (x * y + w * z),
                1 - 2 * (x * x + z * z),
                2 * (y * z - w * x),
                2 * (x * z - w * y),
                2 * (y * z + w * x),
                1 - 2 * (x * x + y * y),
            ],
            dim=-1,
        ).view(*w.shape, 3, 3)

    def expected(quat, trans, points):
        quat = F.normalize(quat, dim=-1)
        w, x, y, z = quat.unbind(-1)  # original
        return points @ matrix(w, x, y, z).transpose(-1, -2) + trans[:, None]

    def actual(quat, trans, points):
        quat = quat / quat.norm(dim=-1, keepdim=True)
        x, y, z, w = quat.unbind(-1)  # planted
        return torch.einsum("bij,bnj->bni", matrix(w, x, y, z), points) + trans[:, None]

    return actual, expected, (torch.randn(4, 4), torch.randn(4, 3), torch.randn(4, 6, 3))


# --- timestep embedding ----------------------------------------------------------------
class TimeEmbed(nn.Module):
    def __init__(self, dim=32):
        super().__init__()
        self.dim = dim
        self.mlp = nn.Sequential(nn.Linear(dim, 48), nn.SiLU(), nn.Linear(48, 16))

    def forward(self, t):
        half = self.dim // 2
        freqs = torch.exp(-math.log(10000) * torch.arange(half) / (half - 1))  # original
        args = t[:, None] * freqs[None]
        return self.mlp(torch.cat([args.sin(), args.cos()], dim=-1))


class TimeEmbedPort(TimeEmbed):
    def forward(self, t):
        half = self.dim // 2
        freqs = 10000 ** (-torch.arange(half, dtype=torch.float32) / half)  # planted
        args = torch.outer(t, freqs)
        return self.mlp(torch.cat([torch.sin(args), torch.cos(args)], dim=-1))


@pair(
    "timestep_frequency_denominator",
    "diffusion",
    "usual",
    "the exponent of the sinusoidal timestep frequencies is divided by half the width instead of half minus one",
    ("freq", "frequency", "frequencies", "timestep", "sinusoidal", "half"),
)
def _(seed):
    torch.manual_seed(seed)
    expected = TimeEmbed()
    actual = TimeEmbedPort()
    actual.load_state_dict(expected.state_dict())
    return actual, expected, (torch.randint(0, 1000, (6,)).float(),)


# --- ConvNeXt block gelu ---------------------------------------------------------------
class ConvNeXtBlock(nn.Module):
    def __init__(self, dim=12):
        super().__init__()
        self.dwconv = nn.Conv2d(dim, dim, 7, padding=3, groups=dim)
        self.norm = nn.LayerNorm(dim, eps=1e-6)
        self.pw1 = nn.Linear(dim, 4 * dim)
        self.pw2 = nn.Linear(4 * dim, dim)
        self.gamma = nn.Parameter(torch.full((dim,), 0.5))

    def act(self, x):
        return F.gelu(x)  # original

    def forward(self, x):
        y = self.dwconv(x).permute(0, 2, 3, 1)
        y = self.pw2(self.act(self.pw1(self.norm(y))))
        return x + (self.gamma * y).permute(0, 3, 1, 2)


class ConvNeXtBlockPort(ConvNeXtBlock):
    def act(self, x):
        return 0.5 * x * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))  # planted


@pair(
    "convnext_gelu_tanh",
    "vision",
    "usual",
    "the tanh approximation of GELU instead of the exact erf form",
    ("gelu", "tanh", "erf", "approximate", "activation"),
    gradients=True,
)
def _(seed):
    torch.manual_seed(seed)
    expected = spread(ConvNeXtBlock())
    actual = ConvNeXtBlockPort()
    actual.load_state_dict(expected.state_dict())
    return actual, expected, (torch.randn(2, 12, 8, 8),)


# --- top-p ------------------------------------------------------------------------------
@pair(
    "top_p_drops_crossing_token",
    "sampling",
    "usual",
    "nucleus filtering drops the token that crosses the threshold p, which should be kept",
    ("top-p", "nucleus", "threshold", "cumsum", "cumulative"),
)
def _(seed):
    torch.manual_seed(seed)
    p, temperature = 0.8, 0.7

    def expected(logits):
        logits = logits / temperature
        sorted_logits, idx = torch.sort(logits, descending=True, dim=-1)
        cum = sorted_logits.softmax(dim=-1).cumsum(dim=-1)
        remove = cum > p
        remove[..., 1:] = remove[..., :-1].clone()  # original
        remove[..., 0] = False
        remove = torch.zeros_like(remove).scatter(-1, idx, remove)
        return logits.masked_fill(remove, float("-inf")).softmax(dim=-1)

    def actual(logits):
        probs = F.softmax(logits / temperature, dim=-1)
        sp, idx = probs.sort(dim=-1, descending=True)
        keep = sp.cumsum(dim=-1) <= p  # planted
        keep[..., 0] = True
        sp = sp * keep
        sp = sp / sp.sum(dim=-1, keepdim=True)
        return torch.zeros_like(probs).scatter(-1, idx, sp)

    return actual, expected, (2 * torch.randn(5, 40),)


# =====================================================================================
# unusual
# =====================================================================================


# --- multi-head latent attention ----------------------------------------------------------
def _rope(x):
    n, d = x.shape[-2], x.shape[-1]
    inv = 10000.0 ** (-torch.arange(0, d, 2).float() / d)
    ang = torch.arange(n).float()[:, None] * inv
    x1, x2 = x[..., : d // 2], x[..., d // 2 :]
    return torch.cat([x1 * ang.cos() - x2 * ang.sin(), x2 * ang.cos() + x1 * ang.sin()], dim=-1)


class LatentAttention(nn.Module):
    def __init__(self, dim=32, heads=4, latent=12, rope=4, nope=8):
        super().__init__()
        self.heads, self.latent, self.rope, self.nope = heads, latent, rope, nope
        self.q = nn.Linear(dim, heads * (nope + rope), bias=False)
        self.kv_down = nn.Linear(dim, latent + rope, bias=False)
        self.kv_norm = nn.Parameter(torch.ones(latent))
        self.kv_up = nn.Linear(latent, heads * 2 * nope, bias=False)
        self.o = nn.Linear(heads * nope, dim, bias=False)

    def compress(self, x):
        c, k_rope = self.kv_down(x).split([self.latent, self.rope], dim=-1)
        c = c * torch.rsqrt(c.square().mean(-1, keepdim=True) + 1e-6)  # original
        return c * self.kv_norm, k_rope

    def forward(self, x):
        b, n, _ = x.shape
        q = self.q(x).view(b, n, self.heads, -1).transpose(1, 2)
        q_nope, q_rope = q.split([self.nope, self.rope], dim=-1)
        c, k_rope = self.compress(x)
        kv = self.kv_up(c).view(b, n, self.heads, -1).transpose(1, 2)
        k_nope, v = kv.chunk(2, dim=-1)
        k_rope = _rope(k_rope)[:, None].expand(-1, self.heads, -1, -1)
        q = torch.cat([q_nope, _rope(q_rope)], dim=-1)
        k = torch.cat([k_nope, k_rope], dim=-1)
        out = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.o(out.transpose(1, 2).flatten(2))


class LatentAttentionPort(LatentAttention):
    def compress(self, x):
        ckv = self.kv_down(x)
        ckv = ckv * torch.rsqrt(ckv.square().mean(-1, keepdim=True) + 1e-6)  # planted
        c, k_rope = ckv.split([self.latent, self.rope], dim=-1)
        return c * self.kv_norm, k_rope


@pair(
    "mla_norm_covers_rope_key",
    "attention",
    "unusual",
    "the RMS norm of the compressed KV latent is taken over latent and rotary key together, before they are split",
    ("latent", "norm", "rms", "split", "compressed", "kv_down"),
)
def _(seed):
    torch.manual_seed(seed)
    expected = spread(LatentAttention())
    actual = LatentAttentionPort()
    actual.load_state_dict(expected.state_dict())
    return actual, expected, (torch.randn(2, 9, 32),)


# --- relative position bias ---------------------------------------------------------------
class RelativeAttention(nn.Module):
    def __init__(self, dim=16, heads=2, max_dist=4):
        super().__init__()
        self.heads, self.max_dist = heads, max_dist
        self.qkv = nn.Linear(dim, 3 * dim)
        self.bias = nn.Embedding(2 * max_dist + 1, heads)
        self.out = nn.Linear(dim, dim)

    def buckets(self, n):
        pos = torch.arange(n)
        rel = pos[None, :] - pos[:, None]
        return rel.clamp(-self.max_dist, self.max_dist) + self.max_dist  # original

    def forward(self, x):
        b, n, d = x.shape
        q, k, v = self.qkv(x).view(b, n, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        logits = q @ k.transpose(-1, -2) * (d // self.heads) ** -0.5
        logits = logits + self.bias(self.buckets(n)).permute(2, 0, 1)
        return self.out((logits.softmax(-1) @ v).transpose(1, 2).flatten(2))


class RelativeAttentionPort(RelativeAttention):
    def buckets(self, n):
        pos = torch.arange(n)
        rel = pos[None, :] - pos[:, None]
        return rel.clamp(-self.max_dist, self.max_dist - 1) + self.max_dist  # planted


@pair(
    "relative_bias_clipped_one_side",
    "attention",
    "unusual",
    "relative distances are clipped one short on the positive side, so far keys to the right share a wrong bias row",
    ("clamp", "clip", "relative", "bucket", "bias", "distance"),
)
def _(seed):
    torch.manual_seed(seed)
    expected = RelativeAttention()
    actual = RelativeAttentionPort()
    actual.load_state_dict(expected.state_dict())
    return actual, expected, (torch.randn(2, 11, 16),)


# --- mLSTM -------------------------------------------------------------------------------
class MLSTM(nn.Module):
    def __init__(self, dim=10):
        super().__init__()
        self.dim = dim
        self.q, self.k, self.v = (nn.Linear(dim, dim) for _ in range(3))
        self.gates = nn.Linear(dim, 2)
        self.o = nn.Linear(dim, dim)

    def read(self, C, n, m, q):
        num = torch.einsum("bij,bj->bi", C, q)
        den = torch.einsum("bj,bj->b", n, q).abs()  # original
        return num / torch.maximum(den, torch.exp(-m))[:, None]

    def forward(self, x):
        b, steps, d = x.shape
        C, n, m = x.new_zeros(b, d, d), x.new_zeros(b, d), x.new_zeros(b)
        hs = []
        for t in range(steps):
            q, k, v = self.q(x[:, t]), self.k(x[:, t]) / math.sqrt(d), self.v(x[:, t])
            i, f = self.gates(x[:, t]).unbind(-1)
            logf = F.logsigmoid(f + 2)
            m_new = torch.maximum(logf + m, i)
            fi, ii = torch.exp(logf + m - m_new)[:, None], torch.exp(i - m_new)[:, None]
            C = fi[..., None] * C + ii[..., None] * v[:, :, None] * k[:, None, :]
            n = fi * n + ii * k
            m = m_new
            hs.append(torch.sigmoid(self.o(x[:, t])) * self.read(C, n, m, q))
        return torch.stack(hs, dim=1)


class MLSTMPort(MLSTM):
    def read(self, C, n, m, q):
        num = (C @ q[:, :, None]).squeeze(-1)
        den = (n * q).sum(dim=-1)  # planted
        return num / torch.maximum(den, torch.exp(-m))[:, None]


@pair(
    "mlstm_normaliser_without_abs",
    "recurrent",
    "unusual",
    "the mLSTM normaliser n.q is compared with its lower bound without taking the absolute value",
    ("abs", "absolute", "normaliser", "normalizer", "denominator", "sign"),
)
def _(seed):
    torch.manual_seed(seed)
    expected = MLSTM()
    with torch.no_grad():
        expected.q.weight.mul_(2)
        expected.k.weight.mul_(2)
        expected.gates.bias[0] = 0.5
    actual = MLSTMPort()
    actual.load_state_dict(expected.state_dict())
    return actual, expected, (torch.randn(2, 8, 10),)


# --- RWKV ---------------------------------------------------------------------------------
class RWKVTimeMix(nn.Module):
    def __init__(self, dim=12):
        super().__init__()
        self.mix = nn.Parameter(torch.rand(3, dim))
        self.decay = nn.Parameter(torch.randn(dim) * 0.5)
        self.bonus = nn.Parameter(torch.randn(dim))
        self.key, self.value, self.recept, self.out = (nn.Linear(dim, dim, bias=False) for _ in range(4))

    def wkv(self, k, v):
        w = torch.exp(-torch.exp(self.decay))
        num = den = torch.zeros_like(k[:, 0])
        out = []
        for t in range(k.shape[1]):
            ek = torch.exp(k[:, t])
            cur = torch.exp(self.bonus) * ek
            out.append((num + cur * v[:, t]) / (den + cur))
            num = w * num + ek * v[:, t]  # original
            den = w * den + ek
        return torch.stack(out, dim=1)

    def forward(self, x):
        prev = F.pad(x, (0, 0, 1, -1))
        xk, xv, xr = (x * m + prev * (1 - m) for m in self.mix)
        r = torch.sigmoid(self.recept(xr))
        return self.out(r * self.wkv(self.key(xk), self.value(xv)))


class RWKVTimeMixPort(RWKVTimeMix):
    def wkv(self, k, v):
        w = torch.exp(-torch.exp(self.decay))
        num = den = torch.zeros_like(k[:, 0])
        out = []
        for t in range(k.shape[1]):
            ek = torch.exp(k[:, t])
            cur = torch.exp(self.bonus) * ek
            out.append((num + cur * v[:, t]) / (den + cur))
            num, den = w * num + cur * v[:, t], w * den + cur  # planted
        return torch.stack(out, dim=1)


@pair(
    "rwkv_bonus_enters_state",
    "recurrent",
    "unusual",
    "the bonus for the current token is also written into the recurrent numerator and denominator state",
    ("bonus", "state", "current", "numerator"),
)
def _(seed):
    torch.manual_seed(seed)
    expected = RWKVTimeMix()
    actual = RWKVTimeMixPort()
    actual.load_state_dict(expected.state_dict())
    return actual, expected, (torch.randn(2, 8, 12),)


# --- Mamba --------------------------------------------------------------------------------
class SelectiveSSM(nn.Module):
    def __init__(self, dim=8, state=4, rank=2):
        super().__init__()
        self.state, self.rank = state, rank
        self.x_proj = nn.Linear(dim, rank + 2 * state, bias=False)
        self.dt_proj = nn.Linear(rank, dim)
        self.A_log = nn.Parameter(torch.log(torch.arange(1.0, state + 1)).repeat(dim, 1))
        self.D = nn.Parameter(torch.ones(dim))

    def discretise(self, x, dt, B):
        dt = F.softplus(dt)
        dA = torch.exp(dt[..., None] * -torch.exp(self.A_log))
        dBx = dt[..., None] * B[:, :, None, :] * x[..., None]  # original
        return dA, dBx

    def forward(self, x):
        dt, B, C = self.x_proj(x).split([self.rank, self.state, self.state], dim=-1)
        dA, dBx = self.discretise(x, self.dt_proj(dt), B)
        h = torch.zeros_like(dBx[:, 0])
        ys = []
        for t in range(x.shape[1]):
            h = dA[:, t] * h + dBx[:, t]
            ys.append((h * C[:, t, None, :]).sum(-1))
        return torch.stack(ys, dim=1) + self.D * x


class SelectiveSSMPort(SelectiveSSM):
    def discretise(self, x, dt, B):
        dA = torch.exp(-F.softplus(dt).unsqueeze(-1) * self.A_log.exp())
        dBx = torch.einsum("bld,bln,bld->bldn", dt, B, x)  # planted
        return dA, dBx


@pair(
    "mamba_raw_step_in_input_matrix",
    "state space",
    "unusual",
    "the input term B*x is scaled by the step before its softplus, while the decay uses the step after it",
    ("softplus", "dt", "step", "delta", "discretise", "discretisation"),
)
def _(seed):
    torch.manual_seed(seed)
    expected = SelectiveSSM()
    actual = SelectiveSSMPort()
    actual.load_state_dict(expected.state_dict())
    return actual, expected, (torch.randn(2, 9, 8),)


# --- NAdam --------------------------------------------------------------------------------
@pair(
    "nadam_lookahead_uses_current_mu",
    "optimizer",
    "unusual",
    "the look-ahead term of NAdam weighs the first moment with the momentum of this step instead of the next step",
    ("mu", "next", "momentum", "nadam", "lookahead", "nesterov"),
)
def _(seed):
    torch.manual_seed(seed)
    lr, b1, b2, eps, psi = 2e-2, 0.9, 0.999, 1e-8, 0.2

    def expected(p, grads):
        w = nn.Parameter(p.detach().clone())
        opt = torch.optim.NAdam([w], lr=lr, betas=(b1, b2), eps=eps, momentum_decay=psi)  # original
        for g in grads:
            w.grad = g.clone()
            opt.step()
        return w.detach()

    def actual(p, grads):
        w, m, v, prod = p, torch.zeros_like(p), torch.zeros_like(p), 1.0
        for t, g in enumerate(grads, 1):
            mu = b1 * (1 - 0.5 * 0.96 ** (t * psi))
            mu_next = b1 * (1 - 0.5 * 0.96 ** ((t + 1) * psi))
            prod = prod * mu
            m = b1 * m + (1 - b1) * g
            v = b2 * v + (1 - b2) * g * g
            denom = (v / (1 - b2**t)).sqrt() + eps
            step = (1 - mu) / (1 - prod) * g + mu / (1 - prod * mu_next) * m  # planted
            w = w - lr * step / denom
        return w

    return actual, expected, (0.3 * torch.randn(8, 5), torch.randn(6, 8, 5))


# --- Muon ---------------------------------------------------------------------------------
def _newton_schulz(g, steps=5):
    a, b, c = 3.4445, -4.7750, 2.0315
    x = g / (g.norm() + 1e-7)
    tall = g.shape[0] > g.shape[1]
    x = x.T if tall else x
    for _ in range(steps):
        s = x @ x.T
        x = a * x + (b * s + c * s @ s) @ x
    return x.T if tall else x


@pair(
    "muon_nesterov_old_buffer",
    "optimizer",
    "unusual",
    "the Nesterov blend of Muon takes the momentum buffer from before this step's update",
    ("nesterov", "buffer", "momentum", "before", "stale"),
)
def _(seed):
    torch.manual_seed(seed)
    lr, mom = 0.02, 0.95

    def expected(w, grads):
        buf = torch.zeros_like(w)
        for g in grads:
            buf = mom * buf + g
            update = g + mom * buf  # original
            update = _newton_schulz(update) * max(1, w.shape[0] / w.shape[1]) ** 0.5
            w = w - lr * update
        return w

    def actual(w, grads):
        buf = torch.zeros_like(w)
        for g in grads:
            update = torch.add(g, buf, alpha=mom)  # planted
            buf = buf.mul(mom).add(g)
            update = _newton_schulz(update).mul(max(1, w.shape[0] / w.shape[1]) ** 0.5)
            w = w.sub(update, alpha=lr)
        return w

    return actual, expected, (torch.randn(12, 6), torch.randn(4, 12, 6))


# --- InfoNCE --------------------------------------------------------------------------------
@pair(
    "infonce_temperature_positive_only",
    "loss",
    "unusual",
    "the temperature divides only the positive similarities in the numerator, not the negatives in the denominator",
    ("temperature", "tau", "negatives", "denominator", "0.2"),
    scalar=True,
)
def _(seed):
    torch.manual_seed(seed)
    tau = 0.2

    def expected(a, b):
        a, b = F.normalize(a, dim=-1), F.normalize(b, dim=-1)
        logits = a @ b.T / tau  # original
        return F.cross_entropy(logits, torch.arange(a.shape[0]))

    def actual(a, b):
        a, b = F.normalize(a, dim=-1), F.normalize(b, dim=-1)
        sim = a @ b.T
        pos = sim.diagonal() / tau
        off = ~torch.eye(a.shape[0], dtype=torch.bool)
        neg = sim[off].view(a.shape[0], -1)  # planted
        return (torch.logsumexp(torch.cat([pos[:, None], neg], dim=1), dim=1) - pos).mean()

    a = torch.randn(8, 12)
    return actual, expected, (a, 0.5 * a + torch.randn(8, 12))


# --- perceptual loss -------------------------------------------------------------------------
class Perceptual(nn.Module):
    def __init__(self):
        super().__init__()
        self.stage1 = nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.ReLU())
        self.stage2 = nn.Sequential(nn.MaxPool2d(2), nn.Conv2d(8, 12, 3, padding=1), nn.ReLU())
        self.lin1, self.lin2 = nn.Parameter(torch.rand(8)), nn.Parameter(torch.rand(12))

    def unit(self, f):
        return f / (f.square().sum(dim=1, keepdim=True).sqrt() + 1e-10)  # original

    def forward(self, x, y):
        fx, fy, total = x, y, 0.0
        for stage, lin in ((self.stage1, self.lin1), (self.stage2, self.lin2)):
            fx, fy = stage(fx), stage(fy)
            diff = (self.unit(fx) - self.unit(fy)).square()
            total = total + (diff * lin[:, None, None]).sum(1).mean()
        return total


class PerceptualPort(Perceptual):
    def unit(self, f):
        return f / (torch.linalg.vector_norm(f, dim=(2, 3), keepdim=True) + 1e-10)  # planted


@pair(
    "perceptual_unit_norm_over_space",
    "loss",
    "unusual",
    "features are normalised to unit length over the spatial axes instead of over the channels",
    ("channel", "channels", "spatial", "axis", "dim", "unit"),
    scalar=True,
)
def _(seed):
    torch.manual_seed(seed)
    expected = Perceptual()
    actual = PerceptualPort()
    actual.load_state_dict(expected.state_dict())
    x = torch.randn(2, 3, 8, 8)
    return actual, expected, (x, x + 0.3 * torch.randn_like(x))


# --- DDIM ----------------------------------------------------------------------------------
class TinyEps(nn.Module):
    def __init__(self):
        super().__init__()
        self.inp = nn.Conv1d(2, 12, 3, padding=1)
        self.time = nn.Linear(1, 12)
        self.out = nn.Conv1d(12, 2, 3, padding=1)

    def forward(self, x, t):
        return self.out(F.silu(self.inp(x) + self.time(t[:, None])[..., None]))


class DDIM(nn.Module):
    def __init__(self, eta=0.6, steps=5):
        super().__init__()
        self.eps = TinyEps()
        self.eta, self.steps = eta, steps
        betas = torch.linspace(1e-4, 0.02, 1000)
        self.register_buffer("abar", torch.cumprod(1 - betas, dim=0))

    def direction(self, a_t, a_prev, sigma, eps):
        return torch.sqrt(1 - a_prev - sigma**2) * eps  # original

    def forward(self, x, noise):
        times = torch.linspace(999, 0, self.steps + 1).long()
        for i in range(self.steps):
            a_t, a_prev = self.abar[times[i]], self.abar[times[i + 1]]
            eps = self.eps(x, torch.full((x.shape[0],), times[i] / 1000))
            x0 = (x - torch.sqrt(1 - a_t) * eps) / torch.sqrt(a_t)
            sigma = self.eta * torch.sqrt((1 - a_prev) / (1 - a_t) * (1 - a_t / a_prev))
            x = a_prev.sqrt() * x0 + self.direction(a_t, a_prev, sigma, eps) + sigma * noise[i]
        return x


class DDIMPort(DDIM):
    def direction(self, a_t, a_prev, sigma, eps):
        return (1 - a_t - sigma.square()).clamp(min=0).sqrt() * eps  # planted


@pair(
    "ddim_direction_alpha_of_current_step",
    "diffusion",
    "unusual",
    "the direction term pointing to x_t uses the cumulative alpha of the current step instead of the previous step",
    ("direction", "alpha", "prev", "previous", "a_prev"),
)
def _(seed):
    torch.manual_seed(seed)
    expected = DDIM()
    actual = DDIMPort()
    actual.load_state_dict(expected.state_dict())
    return actual, expected, (torch.randn(2, 2, 10), torch.randn(5, 2, 2, 10))


# --- v-prediction with rescaled guidance -----------------------------------------------------
@pair(
    "guidance_rescale_std_over_batch",
    "diffusion",
    "unusual",
    "the standard deviations for the guidance rescaling are taken over the whole batch instead of for each sample",
    ("std", "batch", "sample", "rescale", "deviation"),
)
def _(seed):
    torch.manual_seed(seed)
    scale, phi = 5.0, 0.7

    def expected(x, v_cond, v_uncond, abar):
        a, s = abar.sqrt()[:, None, None], (1 - abar).sqrt()[:, None, None]
        cond, uncond = a * x - s * v_cond, a * x - s * v_uncond
        guided = uncond + scale * (cond - uncond)
        ratio = cond.std(dim=(1, 2), keepdim=True) / guided.std(dim=(1, 2), keepdim=True)  # original
        x0 = phi * guided * ratio + (1 - phi) * guided
        eps = (x - a * x0) / s
        return torch.cat([x0, eps], dim=1)

    def actual(x, v_cond, v_uncond, abar):
        a, s = abar.sqrt().view(-1, 1, 1), (1 - abar).sqrt().view(-1, 1, 1)
        cond, uncond = a * x - s * v_cond, a * x - s * v_uncond
        guided = torch.lerp(uncond, cond, scale)
        ratio = cond.std() / guided.std()  # planted
        x0 = guided * (phi * ratio + 1 - phi)
        eps = (x - a * x0) / s
        return torch.cat([x0, eps], dim=1)

    x, v = torch.randn(3, 4, 10), torch.randn(3, 4, 10)
    return actual, expected, (x, v, v + 0.4 * torch.randn_like(v), torch.tensor([0.2, 0.5, 0.8]))


# --- box decode -------------------------------------------------------------------------------
@pair(
    "box_decode_centre_shift_by_new_size",
    "vision",
    "unusual",
    "the centre offset is multiplied by the decoded box size instead of the anchor size",
    ("centre", "center", "anchor", "width", "size", "decode"),
)
def _(seed):
    torch.manual_seed(seed)
    limit = math.log(1000.0 / 16)
    stds = torch.tensor([0.1, 0.1, 0.2, 0.2])

    def expected(anchors, deltas):
        wh = anchors[:, 2:] - anchors[:, :2]
        ctr = anchors[:, :2] + 0.5 * wh
        d = deltas * stds
        new_wh = wh * torch.exp(d[:, 2:].clamp(max=limit))
        new_ctr = ctr + d[:, :2] * wh  # original
        boxes = torch.cat([new_ctr - 0.5 * new_wh, new_ctr + 0.5 * new_wh], dim=1)
        return boxes.clamp(0, 100)

    def actual(anchors, deltas):
        x1, y1, x2, y2 = anchors.unbind(1)
        dx, dy, dw, dh = (deltas * stds).unbind(1)
        w = (x2 - x1) * dw.clamp(max=limit).exp()
        h = (y2 - y1) * dh.clamp(max=limit).exp()
        cx = (x1 + x2) / 2 + dx * w  # planted
        cy = (y1 + y2) / 2 + dy * h
        return torch.stack([cx - w / 2, cy - h / 2, cx + w / 2, cy + h / 2], dim=1).clamp(0, 100)

    tl = torch.rand(14, 2) * 60 + 5
    return actual, expected, (torch.cat([tl, tl + 5 + 25 * torch.rand(14, 2)], 1), torch.randn(14, 4))


# --- patch merging -----------------------------------------------------------------------------
class PatchMerging(nn.Module):
    def __init__(self, dim=8):
        super().__init__()
        self.norm = nn.LayerNorm(4 * dim)
        self.reduction = nn.Linear(4 * dim, 2 * dim, bias=False)

    def forward(self, x):
        parts = [x[:, 0::2, 0::2], x[:, 1::2, 0::2], x[:, 0::2, 1::2], x[:, 1::2, 1::2]]
        x = self.norm(torch.cat(parts, dim=-1))  # original
        return self.reduction(x)


class PatchMergingPort(PatchMerging):
    def forward(self, x):
        x = (x - x.mean(-1, keepdim=True)) / torch.sqrt(x.var(-1, unbiased=False, keepdim=True) + self.norm.eps)  # planted
        b, h, w, c = x.shape
        x = x.view(b, h // 2, 2, w // 2, 2, c).permute(0, 1, 3, 4, 2, 5).flatten(3)
        return self.reduction(x * self.norm.weight + self.norm.bias)


@pair(
    "patch_merging_norm_per_patch",
    "vision",
    "unusual",
    "the layer norm is taken over each patch's own channels before merging instead of over the four merged patches",
    ("norm", "merging", "before", "layernorm", "layer", "patch"),
)
def _(seed):
    torch.manual_seed(seed)
    expected = spread(PatchMerging())
    actual = PatchMergingPort()
    actual.load_state_dict(expected.state_dict())
    return actual, expected, (torch.randn(2, 6, 8, 8) * (0.8 + 0.4 * torch.rand(2, 6, 8, 1)),)


# --- biquad ---------------------------------------------------------------------------------
@pair(
    "biquad_last_coefficient_not_normalised",
    "audio",
    "unusual",
    "the coefficient b2 of the low-pass biquad is not divided by a0 as all the others are",
    ("b2", "a0", "coefficient", "normalised", "normalized"),
)
def _(seed):
    torch.manual_seed(seed)
    sr, cutoff, q = 16000.0, 1200.0, 0.707
    w0 = 2 * math.pi * cutoff / sr
    alpha, cosw = math.sin(w0) / (2 * q), math.cos(w0)

    def coefficients():
        b1 = 1 - cosw
        return b1 / 2, b1, b1 / 2, 1 + alpha, -2 * cosw, 1 - alpha

    def expected(x):
        b0, b1, b2, a0, a1, a2 = coefficients()
        b0, b1, b2, a1, a2 = (c / a0 for c in (b0, b1, b2, a1, a2))  # original
        x1 = x2 = y1 = y2 = torch.zeros_like(x[:, 0])
        ys = []
        for xn in x.unbind(1):
            y = b0 * xn + b1 * x1 + b2 * x2 - a1 * y1 - a2 * y2
            x1, x2, y1, y2 = xn, x1, y, y1
            ys.append(y)
        return torch.stack(ys, dim=1)

    def actual(x):
        b0, b1, b2, a0, a1, a2 = coefficients()
        taps = torch.tensor([b2, b1 / a0, b0 / a0])  # planted
        fir = F.conv1d(F.pad(x[:, None], (2, 0)), taps[None, None])[:, 0]
        y = torch.zeros(x.shape[0], x.shape[1] + 2).unbind(1)
        y = list(y)
        for n in range(x.shape[1]):
            y[n + 2] = fir[:, n] - a1 / a0 * y[n + 1] - a2 / a0 * y[n]
        return torch.stack(y[2:], dim=1)

    return actual, expected, (torch.randn(2, 100),)


# --- group-wise quantisation --------------------------------------------------------------------
@pair(
    "quant_clamp_before_zero_point",
    "quantisation",
    "unusual",
    "the integer code is clamped before the zero point is added instead of after",
    ("clamp", "clip", "zero", "zero-point", "zero_point"),
)
def _(seed):
    torch.manual_seed(seed)
    bits, group = 4, 8
    qmax = 2**bits - 1

    def qparams(g):
        lo, hi = g.amin(-1, keepdim=True).clamp(max=0), g.amax(-1, keepdim=True).clamp(min=0)
        scale = (hi - lo).clamp(min=1e-8) / qmax
        return scale, torch.round(-lo / scale)

    def expected(x, w):
        g = w.view(w.shape[0], -1, group)
        scale, zero = qparams(g)
        q = (torch.round(g / scale) + zero).clamp(0, qmax)  # original
        return F.linear(x, ((q - zero) * scale).view_as(w))

    def actual(x, w):
        g = w.reshape(w.shape[0], -1, group)
        scale, zero = qparams(g)
        q = torch.round(g / scale).clamp(-qmax // 2, qmax // 2) + zero  # planted
        return x @ ((q - zero) * scale).reshape(w.shape).T

    return actual, expected, (torch.randn(4, 32), torch.randn(12, 32) * 0.1)


# --- embedding ----------------------------------------------------------------------------------
class InputEmbedding(nn.Module):
    def __init__(self, vocab=30, dim=16, max_len=20):
        super().__init__()
        self.dim = dim
        self.tok = nn.Embedding(vocab, dim)
        self.pos = nn.Embedding(max_len, dim)
        self.norm = nn.LayerNorm(dim)

    def forward(self, ids):
        x = self.tok(ids) * math.sqrt(self.dim)  # original
        x = x + self.pos(torch.arange(ids.shape[1]))
        return self.norm(x)


class InputEmbeddingPort(InputEmbedding):
    def forward(self, ids):
        x = F.embedding(ids, self.tok.weight)
        x = x + self.pos.weight[: ids.shape[1]]
        x = x * math.sqrt(self.dim)  # planted
        return self.norm(x)


@pair(
    "embedding_scale_after_positions",
    "embedding",
    "unusual",
    "the sqrt(dim) factor multiplies the sum of token and position embeddings instead of the tokens alone",
    ("scale", "sqrt", "position", "positions", "embedding"),
)
def _(seed):
    torch.manual_seed(seed)
    expected = spread(InputEmbedding())
    with torch.no_grad():
        expected.pos.weight.mul_(0.3)
    actual = InputEmbeddingPort()
    actual.load_state_dict(expected.state_dict())
    return actual, expected, (torch.randint(0, 30, (3, 12)),)


# --- NDCG -------------------------------------------------------------------------------------
@pair(
    "ndcg_ideal_not_cut_at_k",
    "ranking",
    "unusual",
    "the ideal DCG sums over the whole list instead of the first k places",
    ("ideal", "idcg", "cutoff", "truncation", "top-k", "normaliser"),
    scalar=True,
)
def _(seed):
    torch.manual_seed(seed)
    k = 5

    def expected(scores, relevance):
        def dcg(rel):
            discount = torch.log2(torch.arange(rel.shape[1]) + 2.0)
            return ((2**rel - 1) / discount).sum(dim=1)

        top = relevance.gather(1, scores.topk(k, dim=1).indices)
        best = relevance.topk(k, dim=1).values  # original
        return (dcg(top) / dcg(best)).mean()

    def actual(scores, relevance):
        order = scores.argsort(dim=1, descending=True)
        discount = 1.0 / torch.log2(torch.arange(2.0, scores.shape[1] + 2.0))
        gain = torch.exp2(relevance) - 1
        got = (gain.gather(1, order)[:, :k] * discount[:k]).sum(1)
        best = (gain.sort(dim=1, descending=True).values * discount).sum(1)  # planted
        return (got / best).mean()

    return actual, expected, (torch.randn(6, 12), torch.randint(0, 4, (6, 12)).float())


# --- RK4 ---------------------------------------------------------------------------------------
@pair(
    "rk4_third_stage_from_first_slope",
    "physics",
    "unusual",
    "the third Runge-Kutta stage is evaluated with the first slope k1 instead of the second k2",
    ("k3", "k2", "k1", "stage", "slope", "third"),
    scalar=True,
)
def _(seed):
    torch.manual_seed(seed)
    dt, steps, damping = 0.1, 12, 0.2

    def slope(s):
        angle, speed = s.unbind(-1)
        return torch.stack([speed, -torch.sin(angle) - damping * speed], dim=-1)

    def energy(s):
        return (0.5 * s[:, 1] ** 2 + 1 - torch.cos(s[:, 0])).mean()

    def expected(s):
        for _ in range(steps):
            k1 = slope(s)
            k2 = slope(s + 0.5 * dt * k1)
            k3 = slope(s + 0.5 * dt * k2)  # original
            k4 = slope(s + dt * k3)
            s = s + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        return energy(s)

    def actual(s):
        for _ in range(steps):
            k1 = slope(s)
            k2 = slope(torch.add(s, k1, alpha=dt / 2))
            k3 = slope(torch.add(s, k1, alpha=dt / 2))  # planted
            k4 = slope(torch.add(s, k3, alpha=dt))
            s = s + dt * (k1 / 6 + k2 / 3 + k3 / 3 + k4 / 6)
        return energy(s)

    return actual, expected, (torch.randn(7, 2),)


# --- camera ---------------------------------------------------------------------------------------
@pair(
    "camera_y_distorted_from_new_x",
    "geometry",
    "unusual",
    "the tangential distortion of y is computed from the already distorted x",
    ("distortion", "distorted", "tangential", "overwritten"),
)
def _(seed):
    torch.manual_seed(seed)
    k1, k2, p1, p2 = -0.25, 0.08, 0.02, -0.015
    fx, fy, cx, cy = 420.0, 415.0, 160.0, 120.0
    axis = 0.3 * torch.randn(3)
    zero = torch.zeros(())
    skew = torch.stack([zero, -axis[2], axis[1], axis[2], zero, -axis[0], -axis[1], axis[0], zero]).view(3, 3)
    rot = torch.matrix_exp(skew)

    def expected(points, trans):
        cam = points @ rot.T + trans
        x, y = cam[:, 0] / cam[:, 2], cam[:, 1] / cam[:, 2]
        r2 = x * x + y * y
        radial = 1 + k1 * r2 + k2 * r2**2
        xd = x * radial + 2 * p1 * x * y + p2 * (r2 + 2 * x * x)
        yd = y * radial + p1 * (r2 + 2 * y * y) + 2 * p2 * x * y  # original
        return torch.stack([fx * xd + cx, fy * yd + cy], dim=-1)

    def actual(points, trans):
        cam = (rot @ points.T).T + trans
        x, y = (cam[:, :2] / cam[:, 2:]).unbind(-1)
        r2 = x.square() + y.square()
        radial = 1 + r2 * (k1 + k2 * r2)
        x = x * radial + 2 * p1 * x * y + p2 * (r2 + 2 * x * x)
        y = y * radial + p1 * (r2 + 2 * y * y) + 2 * p2 * x * y  # planted
        return torch.stack([fx * x + cx, fy * y + cy], dim=-1)

    return actual, expected, (torch.randn(12, 3), torch.tensor([0.1, -0.2, 4.0]))


# --- weighted variance -------------------------------------------------------------------------
@pair(
    "weighted_std_around_plain_mean",
    "statistics",
    "unusual",
    "deviations of the weighted standard deviation are taken from the unweighted mean",
    ("weighted", "unweighted", "mean", "centre", "center"),
    scalar=True,
)
def _(seed):
    torch.manual_seed(seed)

    def expected(x, w):
        w = w / w.sum()
        mean = (w * x).sum()  # original
        var = (w * (x - mean) ** 2).sum() / (1 - (w**2).sum())
        return torch.sqrt(var)

    def actual(x, w):
        w = w / w.sum()
        centred = x - x.mean()  # planted
        var = torch.dot(w, centred.square()) / (1 - torch.dot(w, w))
        return var.sqrt()

    return actual, expected, (torch.randn(40) * 2 + 1, torch.rand(40) ** 2)


# =====================================================================================
# honest
# =====================================================================================


class LinearAttention(nn.Module):
    def __init__(self, dim=12):
        super().__init__()
        self.q, self.k, self.v, self.o = (nn.Linear(dim, dim) for _ in range(4))

    def forward(self, x):
        q, k, v = F.elu(self.q(x)) + 1, F.elu(self.k(x)) + 1, self.v(x)
        scores = torch.tril(q @ k.transpose(1, 2))
        return self.o(scores @ v / scores.sum(-1, keepdim=True))


class LinearAttentionRecurrent(LinearAttention):
    def forward(self, x):
        q, k, v = F.elu(self.q(x)) + 1, F.elu(self.k(x)) + 1, self.v(x)
        state, norm = 0.0, 0.0
        out = []
        for t in range(x.shape[1]):
            state = state + k[:, t, :, None] * v[:, t, None, :]
            norm = norm + k[:, t]
            num = torch.einsum("bd,bde->be", q[:, t], state)
            out.append(num / (q[:, t] * norm).sum(-1, keepdim=True))
        return self.o(torch.stack(out, dim=1))


@pair("linear_attention_recurrent_form", "attention", "honest", gradients=True)
def _(seed):
    torch.manual_seed(seed)
    expected = LinearAttention()
    actual = LinearAttentionRecurrent()
    actual.load_state_dict(expected.state_dict())
    return actual, expected, (torch.randn(2, 9, 12),)


class GroupedQuery(nn.Module):
    def __init__(self, dim=24, heads=6, kv=2):
        super().__init__()
        self.heads, self.kv, self.hd = heads, kv, dim // heads
        self.q = nn.Linear(dim, dim, bias=False)
        self.kvp = nn.Linear(dim, 2 * kv * self.hd, bias=False)
        self.o = nn.Linear(dim, dim, bias=False)

    def forward(self, x):
        b, n, _ = x.shape
        q = self.q(x).view(b, n, self.heads, self.hd).transpose(1, 2)
        k, v = self.kvp(x).view(b, n, 2, self.kv, self.hd).permute(2, 0, 3, 1, 4)
        k = k.repeat_interleave(self.heads // self.kv, dim=1)
        v = v.repeat_interleave(self.heads // self.kv, dim=1)
        out = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.o(out.transpose(1, 2).flatten(2))


class GroupedQueryEinsum(GroupedQuery):
    def forward(self, x):
        b, n, _ = x.shape
        q = self.q(x).view(b, n, self.kv, self.heads // self.kv, self.hd) / math.sqrt(self.hd)
        k, v = self.kvp(x).chunk(2, dim=-1)
        k, v = k.view(b, n, self.kv, self.hd), v.view(b, n, self.kv, self.hd)
        s = torch.einsum("bigrd,bjgd->bgrij", q, k)
        s = s + torch.full((n, n), float("-inf")).triu(1)
        p = torch.exp(s - s.amax(-1, keepdim=True))
        p = p / p.sum(-1, keepdim=True)
        return self.o(torch.einsum("bgrij,bjgd->bigrd", p, v).reshape(b, n, -1))


@pair("grouped_query_einsum", "attention", "honest", gradients=True)
def _(seed):
    torch.manual_seed(seed)
    expected = GroupedQuery()
    actual = GroupedQueryEinsum()
    actual.load_state_dict(expected.state_dict())
    return actual, expected, (torch.randn(2, 8, 24),)


class ConvBNBlock(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 8, 3, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(8)
        self.conv2 = nn.Conv2d(8, 6, 3, stride=2, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(6)

    def forward(self, x):
        return self.bn2(self.conv2(F.relu(self.bn1(self.conv1(x)))))


class FoldedBlock(nn.Module):
    def __init__(self, block):
        super().__init__()
        self.conv1 = self.fold(block.conv1, block.bn1)
        self.conv2 = self.fold(block.conv2, block.bn2)

    @staticmethod
    def fold(conv, bn):
        out = nn.Conv2d(conv.in_channels, conv.out_channels, conv.kernel_size, conv.stride, conv.padding)
        with torch.no_grad():
            factor = bn.weight / torch.sqrt(bn.running_var + bn.eps)
            out.weight.copy_(conv.weight * factor[:, None, None, None])
            out.bias.copy_(bn.bias - bn.running_mean * factor)
        return out

    def forward(self, x):
        return self.conv2(F.relu(self.conv1(x)))


@pair("batchnorm_folded_into_conv", "norm", "honest")
def _(seed):
    torch.manual_seed(seed)
    expected = spread(ConvBNBlock())
    for bn in (expected.bn1, expected.bn2):
        bn.running_mean.normal_(0, 0.3)
        bn.running_var.uniform_(0.3, 1.5)
    expected.eval()
    return FoldedBlock(expected).eval(), expected, (torch.randn(2, 3, 8, 8),)


@pair("label_smoothing_by_hand", "loss", "honest", scalar=True, gradients=True)
def _(seed):
    torch.manual_seed(seed)

    def expected(logits, target):
        return F.cross_entropy(logits, target, label_smoothing=0.1)

    def actual(logits, target):
        lse = torch.logsumexp(logits, dim=-1)
        picked = logits.gather(-1, target[:, None]).squeeze(-1)
        return (lse - 0.9 * picked - 0.1 * logits.mean(-1)).mean()

    return actual, expected, (2 * torch.randn(10, 7), torch.randint(0, 7, (10,)))


class MinGRU(nn.Module):
    def __init__(self, dim=10):
        super().__init__()
        self.gate = nn.Linear(dim, dim)
        self.cand = nn.Linear(dim, dim)

    def forward(self, x):
        z, c = torch.sigmoid(self.gate(x)), self.cand(x)
        c = torch.where(c >= 0, c + 0.5, torch.sigmoid(c))
        h = torch.zeros_like(c[:, 0])
        out = []
        for t in range(x.shape[1]):
            h = (1 - z[:, t]) * h + z[:, t] * c[:, t]
            out.append(h)
        return torch.stack(out, dim=1)


class MinGRUParallel(MinGRU):
    def forward(self, x):
        k, c = self.gate(x), self.cand(x)
        log_coeff = -F.softplus(k)
        log_value = -F.softplus(-k) + torch.where(c >= 0, torch.log(F.relu(c) + 0.5), -F.softplus(-c))
        a = torch.cumsum(log_coeff, dim=1)
        return torch.exp(a + torch.logcumsumexp(log_value - a, dim=1))


@pair("min_gru_parallel_scan", "recurrent", "honest")
def _(seed):
    torch.manual_seed(seed)
    expected = MinGRU()
    actual = MinGRUParallel()
    actual.load_state_dict(expected.state_dict())
    return actual, expected, (torch.randn(2, 10, 10),)


class SageMean(nn.Module):
    def __init__(self):
        super().__init__()
        self.own, self.nbr = nn.Linear(6, 8), nn.Linear(6, 8, bias=False)

    def forward(self, x, edge_index):
        src, dst = edge_index
        total = torch.zeros_like(x).index_add(0, dst, x[src])
        count = torch.zeros(x.shape[0]).index_add(0, dst, torch.ones(dst.shape[0]))
        return F.relu(self.own(x) + self.nbr(total / count.clamp(min=1)[:, None]))


class SageMeanDense(SageMean):
    def forward(self, x, edge_index):
        adj = torch.zeros(x.shape[0], x.shape[0])
        adj[edge_index[1], edge_index[0]] = 1.0
        adj = adj / adj.sum(1, keepdim=True).clamp(min=1)
        return F.relu(adj @ F.linear(x, self.nbr.weight) + self.own(x))


@pair("sage_mean_dense", "graph", "honest", gradients=True)
def _(seed):
    torch.manual_seed(seed)
    adj = torch.rand(8, 8) < 0.35
    adj.fill_diagonal_(False)
    expected = SageMean()
    actual = SageMeanDense()
    actual.load_state_dict(expected.state_dict())
    return actual, expected, (torch.randn(8, 6), adj.nonzero().T.contiguous())


@pair("fir_by_fft", "audio", "honest")
def _(seed):
    torch.manual_seed(seed)

    def expected(wave, taps):
        padded = F.pad(wave[:, None], (taps.shape[0] - 1, 0))
        return F.conv1d(padded, taps.flip(0)[None, None])[:, 0]

    def actual(wave, taps):
        n = wave.shape[1] + taps.shape[0] - 1
        spec = torch.fft.rfft(wave, n) * torch.fft.rfft(taps, n)
        return torch.fft.irfft(spec, n)[:, : wave.shape[1]]

    return actual, expected, (torch.randn(2, 120), torch.randn(15))


@pair("quaternion_rotation_two_cross_products", "geometry", "honest")
def _(seed):
    torch.manual_seed(seed)

    def expected(quat, v):
        w, x, y, z = F.normalize(quat, dim=-1).unbind(-1)
        rot = torch.stack(
            [
                1 - 2 * (y * y + z * z),
                2 * (x * y - w * z),
                2 * (x * z + w * y),
                2 * (x * y + w * z),
                1 - 2 * (x * x + z * z),
                2 * (y * z - w * x),
                2 * (x * z - w * y),
                2 * (y * z + w * x),
                1 - 2 * (x * x + y * y),
            ],
            dim=-1,
        ).view(-1, 3, 3)
        return (rot @ v[..., None]).squeeze(-1)

    def actual(quat, v):
        quat = quat / quat.norm(dim=-1, keepdim=True)
        w, u = quat[:, :1], quat[:, 1:]
        t = 2 * torch.cross(u, v, dim=-1)
        return v + w * t + torch.cross(u, t, dim=-1)

    return actual, expected, (torch.randn(10, 4), torch.randn(10, 3))


@pair("gaussian_nll_by_cholesky", "statistics", "honest", scalar=True)
def _(seed):
    torch.manual_seed(seed)

    def expected(x, data):
        mean = data.mean(0)
        cov = torch.cov(data.T) + 0.1 * torch.eye(data.shape[1])
        d = x - mean
        maha = (d @ torch.linalg.inv(cov) * d).sum(-1)
        return 0.5 * (maha + torch.logdet(cov) + x.shape[1] * math.log(2 * math.pi)).mean()

    def actual(x, data):
        centred = data - data.mean(0, keepdim=True)
        cov = centred.T @ centred / (data.shape[0] - 1)
        chol = torch.linalg.cholesky(cov + 0.1 * torch.eye(cov.shape[0]))
        z = torch.linalg.solve_triangular(chol, (x - data.mean(0)).T, upper=False)
        logdet = 2 * chol.diagonal().log().sum()
        return 0.5 * (z.square().sum(0).mean() + logdet + cov.shape[0] * math.log(2 * math.pi))

    return actual, expected, (torch.randn(6, 4), torch.randn(30, 4))


@pair("adamax_by_hand", "optimizer", "honest")
def _(seed):
    torch.manual_seed(seed)
    lr, b1, b2, eps = 1e-2, 0.9, 0.99, 1e-8

    def expected(p, grads):
        w = nn.Parameter(p.detach().clone())
        opt = torch.optim.Adamax([w], lr=lr, betas=(b1, b2), eps=eps)
        for g in grads:
            w.grad = g.clone()
            opt.step()
        return w.detach()

    def actual(p, grads):
        m, u = torch.zeros_like(p), torch.zeros_like(p)
        for t, g in enumerate(grads, 1):
            m = m + (1 - b1) * (g - m)
            u = torch.maximum(b2 * u, g.abs() + eps)
            p = p - (lr / (1 - b1**t)) * m / u
        return p

    return actual, expected, (torch.randn(9, 5), torch.randn(5, 9, 5))


@pair("focal_loss_log_space", "loss", "honest", scalar=True, gradients=True)
def _(seed):
    torch.manual_seed(seed)
    alpha, gamma = 0.25, 2.0

    def expected(logits, target):
        target = target.float()
        p = torch.sigmoid(logits)
        ce = F.binary_cross_entropy_with_logits(logits, target, reduction="none")
        p_t = p * target + (1 - p) * (1 - target)
        a_t = alpha * target + (1 - alpha) * (1 - target)
        return (a_t * (1 - p_t) ** gamma * ce).mean()

    def actual(logits, target):
        signed = torch.where(target, logits, -logits)
        log_pt = F.logsigmoid(signed)
        weight = torch.where(target, alpha, 1 - alpha)
        return -(weight * torch.sigmoid(-signed).pow(gamma) * log_pt).mean()

    return actual, expected, (torch.randn(6, 10), torch.rand(6, 10) > 0.7)


@pair("pairwise_hinge_loop", "ranking", "honest", scalar=True, gradients=True)
def _(seed):
    torch.manual_seed(seed)

    def expected(scores, labels):
        diff = scores[:, None] - scores[None, :]
        better = (labels[:, None] > labels[None, :]).float()
        return (better * F.relu(1.0 - diff)).sum() / better.sum()

    def actual(scores, labels):
        total, count = 0.0, 0
        for i in range(scores.shape[0]):
            worse = labels < labels[i]
            total = total + (scores[worse] + 1.0 - scores[i]).clamp(min=0).sum()
            count = count + worse.sum()
        return total / count

    return actual, expected, (torch.randn(10), torch.randint(0, 4, (10,)))
