"""Ports of attention, norms, recurrent cells, optimizers, losses and blocks. Written without sight of halfulp.

`# planted` marks the line of the mistake, `# original` what stands there in the original.
"""

from __future__ import annotations

import copy
import math

import torch
import torch.nn.functional as F
from torch import nn

from .registry import Fresh

PAIRS: list[Fresh] = []


def add(id, group, kind, make, cause="", words=(), scalar=False, gradients=False):
    PAIRS.append(Fresh(id, group, cause, kind, scalar, gradients, tuple(words), make))


def jitter(module, std=0.2):
    """Move one-dimensional parameters (norm gains, biases) off their defaults, as in a trained checkpoint."""
    with torch.no_grad():
        for p in module.parameters():
            if p.dim() == 1:
                p.add_(torch.randn_like(p) * std)
    return module


def twin(cls_actual, expected, *args, **kw):
    actual = cls_actual(*args, **kw)
    actual.load_state_dict(expected.state_dict())
    return actual.eval(), expected.eval()


# ---------------------------------------------------------------- usual 1: attention scale
class SelfAttention(nn.Module):
    def __init__(self, dim=32, heads=4):
        super().__init__()
        self.heads, self.head_dim = heads, dim // heads
        self.q_proj = nn.Linear(dim, dim)
        self.k_proj = nn.Linear(dim, dim)
        self.v_proj = nn.Linear(dim, dim)
        self.out_proj = nn.Linear(dim, dim)

    def forward(self, x):
        b, t, d = x.shape
        q = self.q_proj(x).view(b, t, self.heads, self.head_dim).transpose(1, 2)
        k = self.k_proj(x).view(b, t, self.heads, self.head_dim).transpose(1, 2)
        v = self.v_proj(x).view(b, t, self.heads, self.head_dim).transpose(1, 2)
        y = F.scaled_dot_product_attention(q, k, v)  # original
        return self.out_proj(y.transpose(1, 2).reshape(b, t, d))


class SelfAttentionPort(nn.Module):
    def __init__(self, dim=32, heads=4):
        super().__init__()
        self.dim, self.heads, self.head_dim = dim, heads, dim // heads
        self.q_proj = nn.Linear(dim, dim)
        self.k_proj = nn.Linear(dim, dim)
        self.v_proj = nn.Linear(dim, dim)
        self.out_proj = nn.Linear(dim, dim)

    def split(self, x):
        return x.unflatten(-1, (self.heads, self.head_dim)).transpose(1, 2)

    def forward(self, x):
        q, k, v = self.split(self.q_proj(x)), self.split(self.k_proj(x)), self.split(self.v_proj(x))
        scores = torch.matmul(q, k.transpose(-2, -1)) / math.sqrt(self.dim)  # planted
        probs = torch.softmax(scores, dim=-1)
        y = torch.matmul(probs, v).transpose(1, 2).flatten(2)
        return self.out_proj(y)


def make_attn_scale(seed):
    torch.manual_seed(seed)
    actual, expected = twin(SelfAttentionPort, SelfAttention())
    return actual, expected, (torch.randn(2, 12, 32) * 2,)


add(
    "attn_scale_from_model_width",
    "attention",
    "usual",
    make_attn_scale,
    "attention scores divided by sqrt(d_model) instead of sqrt(head_dim)",
    ("scale", "scaling", "sqrt", "head_dim", "temperature"),
)


# ---------------------------------------------------------------- usual 2: causal mask diagonal
class CausalAttention(nn.Module):
    def __init__(self, dim=24, heads=3, max_len=32):
        super().__init__()
        self.heads = heads
        self.c_attn = nn.Linear(dim, 3 * dim)
        self.c_proj = nn.Linear(dim, dim)
        self.register_buffer("mask", torch.triu(torch.ones(max_len, max_len), diagonal=1).bool())  # original

    def forward(self, x):
        b, t, d = x.shape
        q, k, v = self.c_attn(x).split(d, dim=2)
        q, k, v = (z.view(b, t, self.heads, d // self.heads).transpose(1, 2) for z in (q, k, v))
        att = (q @ k.transpose(-2, -1)) * (1.0 / math.sqrt(k.size(-1)))
        att = att.masked_fill(self.mask[:t, :t], float("-inf"))
        att = F.softmax(att, dim=-1)
        y = (att @ v).transpose(1, 2).contiguous().view(b, t, d)
        return self.c_proj(y)


class CausalAttentionPort(nn.Module):
    def __init__(self, dim=24, heads=3):
        super().__init__()
        self.heads = heads
        self.c_attn = nn.Linear(dim, 3 * dim)
        self.c_proj = nn.Linear(dim, dim)

    def forward(self, x):
        b, t, d = x.shape
        q, k, v = self.c_attn(x).chunk(3, dim=-1)
        q, k, v = (z.view(b, t, self.heads, -1).transpose(1, 2) for z in (q, k, v))
        bias = torch.full((t, t), float("-inf")).triu(2)  # planted
        att = torch.softmax(q @ k.mT / math.sqrt(q.shape[-1]) + bias, dim=-1)
        return self.c_proj((att @ v).transpose(1, 2).reshape(b, t, d))


def make_causal(seed):
    torch.manual_seed(seed)
    expected = CausalAttention().eval()
    actual = CausalAttentionPort().eval()
    actual.c_attn.load_state_dict(expected.c_attn.state_dict())
    actual.c_proj.load_state_dict(expected.c_proj.state_dict())
    return actual, expected, (torch.randn(2, 10, 24),)


add(
    "causal_mask_sees_next_token",
    "attention",
    "usual",
    make_causal,
    "causal mask starts one diagonal too late: each query also attends to the next token",
    ("mask", "causal", "diagonal", "triu", "future"),
)


# ---------------------------------------------------------------- usual 3: rope layout
def rope_tables(t, d, base=10000.0):
    inv = base ** (-torch.arange(0, d, 2).float() / d)
    ang = torch.arange(t).float()[:, None] * inv[None]
    return ang.cos(), ang.sin()


class RopeAttention(nn.Module):
    def __init__(self, dim=32, heads=2):
        super().__init__()
        self.heads = heads
        self.wqkv = nn.Linear(dim, 3 * dim, bias=False)
        self.wo = nn.Linear(dim, dim, bias=False)

    def rotate(self, x):
        cos, sin = rope_tables(x.shape[2], x.shape[3])
        cos, sin = torch.cat((cos, cos), -1), torch.cat((sin, sin), -1)
        x1, x2 = x.chunk(2, dim=-1)  # original
        return x * cos + torch.cat((-x2, x1), dim=-1) * sin

    def forward(self, x):
        b, t, d = x.shape
        q, k, v = (z.view(b, t, self.heads, -1).transpose(1, 2) for z in self.wqkv(x).chunk(3, -1))
        y = F.scaled_dot_product_attention(self.rotate(q), self.rotate(k), v, is_causal=True)
        return self.wo(y.transpose(1, 2).reshape(b, t, d))


class RopeAttentionPort(RopeAttention):
    def rotate(self, x):
        cos, sin = rope_tables(x.shape[2], x.shape[3])
        x1, x2 = x[..., 0::2], x[..., 1::2]  # planted
        return torch.stack((x1 * cos - x2 * sin, x2 * cos + x1 * sin), dim=-1).flatten(-2)


def make_rope(seed):
    torch.manual_seed(seed)
    actual, expected = twin(RopeAttentionPort, RopeAttention())
    return actual, expected, (torch.randn(2, 14, 32) * 1.5,)


add(
    "rope_pairs_interleaved",
    "attention",
    "usual",
    make_rope,
    "rotary embedding pairs neighbouring channels (interleaved) instead of the two halves of the head (rotate_half)",
    ("rope", "rotary", "interleaved", "rotate_half", "half"),
)


# ---------------------------------------------------------------- usual 4: GQA repeat
class GroupedQueryAttention(nn.Module):
    def __init__(self, dim=32, heads=8, kv_heads=2):
        super().__init__()
        self.h, self.kv, self.hd = heads, kv_heads, dim // heads
        self.wq = nn.Linear(dim, heads * self.hd, bias=False)
        self.wk = nn.Linear(dim, kv_heads * self.hd, bias=False)
        self.wv = nn.Linear(dim, kv_heads * self.hd, bias=False)
        self.wo = nn.Linear(dim, dim, bias=False)

    def forward(self, x):
        b, t, _ = x.shape
        q = self.wq(x).view(b, t, self.h, self.hd).transpose(1, 2)
        k = self.wk(x).view(b, t, self.kv, self.hd).transpose(1, 2)
        v = self.wv(x).view(b, t, self.kv, self.hd).transpose(1, 2)
        n = self.h // self.kv
        k, v = k.repeat_interleave(n, dim=1), v.repeat_interleave(n, dim=1)  # original
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.wo(y.transpose(1, 2).reshape(b, t, -1))


class GroupedQueryAttentionPort(GroupedQueryAttention):
    def forward(self, x):
        b, t, _ = x.shape
        q = self.wq(x).view(b, t, self.h, self.hd).permute(0, 2, 1, 3)
        k = self.wk(x).view(b, t, self.kv, self.hd).permute(0, 2, 1, 3)
        v = self.wv(x).view(b, t, self.kv, self.hd).permute(0, 2, 1, 3)
        n = self.h // self.kv
        k, v = k.repeat(1, n, 1, 1), v.repeat(1, n, 1, 1)  # planted
        s = torch.einsum("bhqd,bhkd->bhqk", q, k) * self.hd**-0.5
        s = s.masked_fill(torch.ones(t, t, dtype=torch.bool).triu(1), float("-inf"))
        y = torch.einsum("bhqk,bhkd->bqhd", s.softmax(-1), v)
        return self.wo(y.reshape(b, t, -1))


def make_gqa(seed):
    torch.manual_seed(seed)
    actual, expected = twin(GroupedQueryAttentionPort, GroupedQueryAttention())
    return actual, expected, (torch.randn(2, 9, 32),)


add(
    "gqa_kv_heads_tiled",
    "attention",
    "usual",
    make_gqa,
    "key/value heads are tiled (repeat) instead of repeat_interleave, so query heads read the wrong kv head",
    ("repeat", "repeat_interleave", "interleave", "tile", "gqa", "kv"),
)


# ---------------------------------------------------------------- usual 5: eps of the second LayerNorm
class EncoderLayer(nn.Module):
    def __init__(self, dim=32, hidden=64):
        super().__init__()
        self.ln_1 = nn.LayerNorm(dim, eps=1e-5)
        self.attn = SelfAttention(dim, 4)
        self.ln_2 = nn.LayerNorm(dim, eps=1e-5)  # original
        self.fc = nn.Linear(dim, hidden)
        self.proj = nn.Linear(hidden, dim)

    def forward(self, x):
        x = x + self.attn(self.ln_1(x))
        return x + self.proj(F.relu(self.fc(self.ln_2(x))))


class EncoderLayerPort(nn.Module):
    def __init__(self, dim=32, hidden=64):
        super().__init__()
        self.ln_1 = nn.LayerNorm(dim, eps=1e-5)
        self.attn = SelfAttention(dim, 4)
        self.ln_2 = nn.LayerNorm(dim, eps=1e-6)  # planted
        self.fc = nn.Linear(dim, hidden)
        self.proj = nn.Linear(hidden, dim)

    def forward(self, x):
        h = x + self.attn(self.ln_1(x))
        m = self.proj(F.relu(self.fc(self.ln_2(h))))
        return h + m


def make_ln2_eps(seed):
    torch.manual_seed(seed)
    actual, expected = twin(EncoderLayerPort, jitter(EncoderLayer()))
    return actual, expected, (torch.randn(2, 8, 32) * 0.15,)


add(
    "second_layernorm_eps",
    "block",
    "usual",
    make_ln2_eps,
    "eps 1e-6 instead of 1e-5 in the second LayerNorm of the block",
    ("eps", "epsilon", "1e-06", "1e-6"),
)


# ---------------------------------------------------------------- usual 6: unbiased variance
class NormedMLP(nn.Module):
    def __init__(self, dim=24, hidden=48):
        super().__init__()
        self.up = nn.Linear(dim, hidden)
        self.norm = nn.LayerNorm(hidden)
        self.down = nn.Linear(hidden, dim)

    def forward(self, x):
        h = torch.tanh(self.up(x))
        h = self.norm(h)  # original
        return self.down(h)


class HandLayerNorm(nn.Module):
    def __init__(self, n, eps=1e-5):
        super().__init__()
        self.weight, self.bias, self.eps = nn.Parameter(torch.ones(n)), nn.Parameter(torch.zeros(n)), eps

    def forward(self, x):
        mu = x.mean(-1, keepdim=True)
        var = x.var(-1, keepdim=True)  # planted
        return (x - mu) / torch.sqrt(var + self.eps) * self.weight + self.bias


class NormedMLPPort(nn.Module):
    def __init__(self, dim=24, hidden=48):
        super().__init__()
        self.up = nn.Linear(dim, hidden)
        self.norm = HandLayerNorm(hidden)
        self.down = nn.Linear(hidden, dim)

    def forward(self, x):
        return self.down(self.norm(self.up(x).tanh()))


def make_unbiased(seed):
    torch.manual_seed(seed)
    actual, expected = twin(NormedMLPPort, jitter(NormedMLP()))
    return actual, expected, (torch.randn(6, 24),)


add(
    "layernorm_unbiased_variance",
    "norm",
    "usual",
    make_unbiased,
    "variance of the hand-written LayerNorm is the unbiased one (divided by n-1)",
    ("unbiased", "variance", "var", "n-1", "bessel", "correction"),
    gradients=True,
)


# ---------------------------------------------------------------- usual 7: eps outside the root
class RMSNormHead(nn.Module):
    def __init__(self, dim=32, out=20, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(dim))
        self.eps = eps
        self.head = nn.Linear(dim, out, bias=False)

    def forward(self, x):
        ms = x.pow(2).mean(-1, keepdim=True)
        x = x * torch.rsqrt(ms + self.eps)  # original
        return self.head(x * self.weight)


class RMSNormHeadPort(RMSNormHead):
    def forward(self, x):
        rms = x.pow(2).mean(-1, keepdim=True).sqrt()
        x = x / (rms + self.eps)  # planted
        return self.head(self.weight * x)


def make_rms_eps(seed):
    torch.manual_seed(seed)
    actual, expected = twin(RMSNormHeadPort, jitter(RMSNormHead()))
    return actual, expected, (torch.randn(3, 7, 32) * 0.15,)


add(
    "rmsnorm_eps_outside_root",
    "norm",
    "usual",
    make_rms_eps,
    "RMSNorm adds eps to the root (outside the sqrt) instead of to the mean square",
    ("eps", "epsilon", "sqrt", "root"),
)


# ---------------------------------------------------------------- usual 8: gelu variant
class ViTMlp(nn.Module):
    def __init__(self, dim=32):
        super().__init__()
        self.norm = nn.LayerNorm(dim)
        self.fc1 = nn.Linear(dim, 4 * dim)
        self.act = nn.GELU()  # original
        self.fc2 = nn.Linear(4 * dim, dim)

    def forward(self, x):
        return x + self.fc2(self.act(self.fc1(self.norm(x))))


class ViTMlpPort(nn.Module):
    def __init__(self, dim=32):
        super().__init__()
        self.norm = nn.LayerNorm(dim)
        self.fc1 = nn.Linear(dim, 4 * dim)
        self.fc2 = nn.Linear(4 * dim, dim)

    def forward(self, x):
        h = self.fc1(self.norm(x))
        h = 0.5 * h * (1.0 + torch.tanh(math.sqrt(2.0 / math.pi) * (h + 0.044715 * h**3)))  # planted
        return x + self.fc2(h)


def make_gelu(seed):
    torch.manual_seed(seed)
    actual, expected = twin(ViTMlpPort, jitter(ViTMlp()))
    return actual, expected, (torch.randn(2, 6, 32),)


add(
    "mlp_gelu_tanh",
    "block",
    "usual",
    make_gelu,
    "tanh approximation of GELU instead of the exact (erf) GELU",
    ("gelu", "tanh", "erf", "approximate"),
)


# ---------------------------------------------------------------- usual 9: LSTM gate order
class LSTMTagger(nn.Module):
    def __init__(self, d_in=12, d_h=16, n_out=5):
        super().__init__()
        self.lstm = nn.LSTM(d_in, d_h, batch_first=True)  # original
        self.out = nn.Linear(d_h, n_out)

    def forward(self, x):
        y, _ = self.lstm(x)
        return self.out(y)


class HandLSTM(nn.Module):
    def __init__(self, d_in, d_h):
        super().__init__()
        self.d_h = d_h
        self.weight_ih_l0 = nn.Parameter(torch.empty(4 * d_h, d_in))
        self.weight_hh_l0 = nn.Parameter(torch.empty(4 * d_h, d_h))
        self.bias_ih_l0 = nn.Parameter(torch.empty(4 * d_h))
        self.bias_hh_l0 = nn.Parameter(torch.empty(4 * d_h))

    def forward(self, x):
        h = c = x.new_zeros(x.shape[0], self.d_h)
        ys = []
        for t in range(x.shape[1]):
            z = F.linear(x[:, t], self.weight_ih_l0, self.bias_ih_l0)
            z = z + F.linear(h, self.weight_hh_l0, self.bias_hh_l0)
            i, f, o, g = z.chunk(4, dim=-1)  # planted
            c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
            h = torch.sigmoid(o) * torch.tanh(c)
            ys.append(h)
        return torch.stack(ys, dim=1)


class LSTMTaggerPort(nn.Module):
    def __init__(self, d_in=12, d_h=16, n_out=5):
        super().__init__()
        self.lstm = HandLSTM(d_in, d_h)
        self.out = nn.Linear(d_h, n_out)

    def forward(self, x):
        return self.out(self.lstm(x))


def make_lstm(seed):
    torch.manual_seed(seed)
    actual, expected = twin(LSTMTaggerPort, LSTMTagger())
    return actual, expected, (torch.randn(3, 8, 12) * 1.5,)


add(
    "lstm_gate_order",
    "recurrent",
    "usual",
    make_lstm,
    "LSTM gates are split in the order i, f, o, g instead of i, f, g, o",
    ("gate", "gates", "order", "chunk", "swapped"),
)


# ---------------------------------------------------------------- usual 10: GRU reset
class GRUEncoder(nn.Module):
    def __init__(self, d_in=10, d_h=14):
        super().__init__()
        self.cell = nn.GRUCell(d_in, d_h)  # original
        self.read = nn.Linear(d_h, 6)

    def forward(self, x):
        h = x.new_zeros(x.shape[1], self.cell.hidden_size)
        for t in range(x.shape[0]):
            h = self.cell(x[t], h)
        return self.read(h)


class GRUEncoderPort(GRUEncoder):
    def forward(self, x):
        c = self.cell
        n = c.hidden_size
        w_r, w_z, w_n = c.weight_ih.split(n)
        u_r, u_z, u_n = c.weight_hh.split(n)
        b_r, b_z, b_n = c.bias_ih.split(n)
        d_r, d_z, d_n = c.bias_hh.split(n)
        h = x.new_zeros(x.shape[1], n)
        for xt in x:
            r = torch.sigmoid(xt @ w_r.T + b_r + h @ u_r.T + d_r)
            z = torch.sigmoid(xt @ w_z.T + b_z + h @ u_z.T + d_z)
            cand = torch.tanh(xt @ w_n.T + b_n + (r * h) @ u_n.T + d_n)  # planted
            h = (1 - z) * cand + z * h
        return self.read(h)


def make_gru(seed):
    torch.manual_seed(seed)
    actual, expected = twin(GRUEncoderPort, GRUEncoder())
    return actual, expected, (torch.randn(7, 4, 10),)


add(
    "gru_reset_before_matmul",
    "recurrent",
    "usual",
    make_gru,
    "GRU reset gate multiplies h before the recurrent matmul instead of its result (with bias) after it",
    ("reset", "gate", "candidate", "before"),
)


# ---------------------------------------------------------------- usual 11: coupled weight decay
def make_adamw_coupled(seed):
    torch.manual_seed(seed)
    lr, b1, b2, eps, wd = 3e-3, 0.9, 0.999, 1e-8, 0.1

    def expected(p, grads):
        w = nn.Parameter(p.detach().clone())
        opt = torch.optim.AdamW([w], lr=lr, betas=(b1, b2), eps=eps, weight_decay=wd)  # original
        for g in grads:
            w.grad = g.detach().clone()
            opt.step()
        return w.detach()

    def actual(p, grads):
        w = p.clone()
        m = torch.zeros_like(w)
        v = torch.zeros_like(w)
        for step, g in enumerate(grads, start=1):
            g = g + wd * w  # planted
            m = b1 * m + (1 - b1) * g
            v = b2 * v + (1 - b2) * g * g
            m_hat = m / (1 - b1**step)
            v_hat = v / (1 - b2**step)
            w = w - lr * m_hat / (v_hat.sqrt() + eps)
        return w

    return actual, expected, (torch.randn(12, 8), torch.randn(4, 12, 8) * 0.3)


add(
    "adamw_decay_coupled",
    "optimizer",
    "usual",
    make_adamw_coupled,
    "weight decay added to the gradient (L2, Adam) instead of decoupled (AdamW)",
    ("decay", "weight_decay", "decoupled", "l2", "coupled"),
)


# ---------------------------------------------------------------- usual 12: adam eps before bias correction
def make_adam_eps(seed):
    torch.manual_seed(seed)
    lr, b1, b2, eps = 1e-2, 0.9, 0.999, 1e-8

    def expected(p, grads):
        w = p.clone()
        m = torch.zeros_like(w)
        v = torch.zeros_like(w)
        for t in range(1, grads.shape[0] + 1):
            g = grads[t - 1]
            m = b1 * m + (1 - b1) * g
            v = b2 * v + (1 - b2) * g.square()
            denom = (v / (1 - b2**t)).sqrt() + eps  # original
            w = w - lr / (1 - b1**t) * m / denom
        return w

    def actual(p, grads):
        w = p.clone()
        m = torch.zeros_like(w)
        v = torch.zeros_like(w)
        for t, g in enumerate(grads, start=1):
            m = torch.lerp(m, g, 1 - b1)
            v = v * b2 + g * g * (1 - b2)
            step_size = lr * math.sqrt(1 - b2**t) / (1 - b1**t)
            w = w - step_size * m / (v.sqrt() + eps)  # planted
        return w

    return actual, expected, (torch.randn(10, 6), torch.randn(3, 10, 6) * 2e-4)


add(
    "adam_eps_before_bias_correction",
    "optimizer",
    "usual",
    make_adam_eps,
    "Adam eps added to sqrt(v) before the bias correction instead of to the corrected root (eps_hat)",
    ("eps", "epsilon", "bias correction", "correction", "eps_hat"),
)


# ---------------------------------------------------------------- usual 13: label smoothing
def make_smoothing(seed):
    torch.manual_seed(seed)
    eps = 0.1
    target = torch.randint(0, 9, (16,))

    def expected(logits):
        return F.cross_entropy(logits, target, label_smoothing=eps)  # original

    def actual(logits):
        n = logits.shape[-1]
        logp = logits.log_softmax(-1)
        soft = torch.full_like(logp, eps / (n - 1))  # planted
        soft = soft.scatter(1, target[:, None], 1.0 - eps)
        return -(soft * logp).sum(-1).mean()

    return actual, expected, (torch.randn(16, 9) * 2,)


add(
    "label_smoothing_over_other_classes",
    "loss",
    "usual",
    make_smoothing,
    "label smoothing mass spread over the n-1 other classes instead of uniformly over all n",
    ("smoothing", "smooth", "classes", "uniform", "n-1"),
    scalar=True,
)


# ---------------------------------------------------------------- usual 14: KL reduction
def make_kl(seed):
    torch.manual_seed(seed)
    tau = 2.0

    def expected(student, teacher):
        log_p = F.log_softmax(student / tau, dim=-1)
        q = F.softmax(teacher / tau, dim=-1)
        return F.kl_div(log_p, q, reduction="batchmean") * tau**2  # original

    def actual(student, teacher):
        log_p = F.log_softmax(student / tau, dim=-1)
        q = F.softmax(teacher / tau, dim=-1)
        kl = q * (q.log() - log_p)
        return kl.mean() * tau**2  # planted

    return actual, expected, (torch.randn(12, 7), torch.randn(12, 7))


add(
    "distill_kl_mean",
    "loss",
    "usual",
    make_kl,
    "KL distillation loss averaged over all elements (mean) instead of summed per sample and divided by the batch (batchmean)",
    ("mean", "batchmean", "reduction", "average"),
    scalar=True,
)


# ---------------------------------------------------------------- usual 15: huber
def make_huber(seed):
    torch.manual_seed(seed)
    delta = 1.5

    def expected(pred, target):
        err = pred - target
        a = err.abs()
        quad = 0.5 * err**2
        lin = delta * (a - 0.5 * delta)
        return torch.where(a <= delta, quad, lin).mean()  # original

    def actual(pred, target):
        return F.smooth_l1_loss(pred, target, beta=delta)  # planted

    return actual, expected, (torch.randn(40) * 2, torch.randn(40))


add(
    "huber_as_smooth_l1",
    "loss",
    "usual",
    make_huber,
    "smooth L1 (divided by beta) used in place of the Huber loss: the result is too small by the factor delta",
    ("huber", "smooth_l1", "smooth l1", "beta", "delta", "1.5"),
    scalar=True,
)


# ---------------------------------------------------------------- usual 16: ignore index denominators
def make_ignore(seed):
    torch.manual_seed(seed)
    labels = torch.randint(0, 11, (3, 10))
    labels[0, 6:] = -100
    labels[2, 8:] = -100

    class LMLoss(nn.Module):
        def __init__(self):
            super().__init__()
            self.lm_head = nn.Linear(16, 11, bias=False)

        def forward(self, hidden):
            logits = self.lm_head(hidden)[:, :-1]
            tgt = labels[:, 1:]
            return F.cross_entropy(logits.reshape(-1, 11), tgt.reshape(-1), ignore_index=-100)  # original

    class LMLossPort(nn.Module):
        def __init__(self):
            super().__init__()
            self.lm_head = nn.Linear(16, 11, bias=False)

        def forward(self, hidden):
            logp = self.lm_head(hidden)[:, :-1].log_softmax(-1)
            tgt = labels[:, 1:]
            keep = tgt != -100
            picked = logp.gather(-1, tgt.clamp(min=0).unsqueeze(-1)).squeeze(-1)
            nll = -(picked * keep)
            return nll.mean()  # planted

    actual, expected = twin(LMLossPort, LMLoss())
    return actual, expected, (torch.randn(3, 10, 16),)


add(
    "lm_loss_mean_counts_ignored",
    "loss",
    "usual",
    make_ignore,
    "the mean of the cross entropy divides by all tokens, the ignored (-100) ones included",
    ("ignore", "ignored", "ignore_index", "-100", "padding", "denominator"),
    scalar=True,
)


# ---------------------------------------------------------------- usual 17: MoE renormalisation
class MoE(nn.Module):
    def __init__(self, dim=20, experts=6, k=2):
        super().__init__()
        self.k = k
        self.gate = nn.Linear(dim, experts, bias=False)
        self.experts = nn.ModuleList(nn.Sequential(nn.Linear(dim, 2 * dim), nn.SiLU(), nn.Linear(2 * dim, dim)) for _ in range(experts))

    def forward(self, x):
        probs = F.softmax(self.gate(x), dim=-1)
        w, idx = torch.topk(probs, self.k, dim=-1)
        w = w / w.sum(dim=-1, keepdim=True)  # original
        out = torch.zeros_like(x)
        for e, expert in enumerate(self.experts):
            weight = (w * (idx == e)).sum(-1, keepdim=True)
            out = out + weight * expert(x)
        return out


class MoEPort(MoE):
    def forward(self, x):
        probs = self.gate(x).softmax(-1)
        w, idx = probs.topk(self.k, dim=-1)  # planted
        every = torch.stack([f(x) for f in self.experts], dim=1)
        chosen = every.gather(1, idx.unsqueeze(-1).expand(-1, -1, x.shape[-1]))
        return (chosen * w.unsqueeze(-1)).sum(1)


def make_moe(seed):
    torch.manual_seed(seed)
    actual, expected = twin(MoEPort, MoE())
    return actual, expected, (torch.randn(10, 20),)


add(
    "moe_topk_not_renormalised",
    "block",
    "usual",
    make_moe,
    "router weights of the top-k experts are not renormalised to sum to one",
    ("renormalise", "renormalize", "renorm", "normalise", "normalize", "topk"),
)


# ---------------------------------------------------------------- usual 18: embedding scale
class TokenEmbedding(nn.Module):
    def __init__(self, vocab=30, dim=16, max_len=20):
        super().__init__()
        self.dim = dim
        self.tok = nn.Embedding(vocab, dim, padding_idx=0)
        self.pos = nn.Embedding(max_len, dim)
        self.norm = nn.LayerNorm(dim)

    def forward(self, ids):
        x = self.tok(ids) * math.sqrt(self.dim)  # original
        x = x + self.pos(torch.arange(ids.shape[1]))
        return self.norm(x)


class TokenEmbeddingPort(TokenEmbedding):
    def forward(self, ids):
        positions = torch.arange(ids.shape[1]).unsqueeze(0)
        x = self.tok(ids) + self.pos(positions)  # planted
        return self.norm(x)


def make_embed(seed):
    torch.manual_seed(seed)
    actual, expected = twin(TokenEmbeddingPort, TokenEmbedding())
    ids = torch.randint(1, 30, (3, 9))
    ids[1, 6:] = 0
    return actual, expected, (ids,)


add(
    "token_embedding_not_scaled",
    "embedding",
    "usual",
    make_embed,
    "token embedding not multiplied by sqrt(d_model)",
    ("scale", "scaled", "sqrt", "4.0", "factor"),
)


# ================================================================ unusual
# ---------------------------------------------------------------- unusual 1: fused qkv per group
class FusedGroupAttention(nn.Module):
    """Falcon-like: the fused projection holds, per kv group, n query heads, then one key and one value head."""

    def __init__(self, dim=36, groups=3, n=2, hd=6):
        super().__init__()
        self.g, self.n, self.hd = groups, n, hd
        self.query_key_value = nn.Linear(dim, groups * (n + 2) * hd)
        self.dense = nn.Linear(groups * n * hd, dim)

    def split_heads(self, fused):
        b, t, _ = fused.shape
        z = fused.view(b, t, self.g, self.n + 2, self.hd)
        q, k, v = z[..., :-2, :], z[..., -2:-1, :], z[..., -1:, :]  # original
        k, v = k.expand_as(q), v.expand_as(q)
        return (y.flatten(2, 3).transpose(1, 2) for y in (q, k, v))

    def forward(self, x):
        q, k, v = self.split_heads(self.query_key_value(x))
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.dense(y.transpose(1, 2).flatten(2))


class FusedGroupAttentionPort(FusedGroupAttention):
    def split_heads(self, fused):
        b, t, _ = fused.shape
        z = fused.view(b, t, self.g, self.n + 2, self.hd)
        q, v, k = z.split([self.n, 1, 1], dim=3)  # planted
        k = k.expand(b, t, self.g, self.n, self.hd)
        v = v.expand(b, t, self.g, self.n, self.hd)
        return (y.reshape(b, t, -1, self.hd).transpose(1, 2) for y in (q, k, v))


def make_falcon(seed):
    torch.manual_seed(seed)
    actual, expected = twin(FusedGroupAttentionPort, FusedGroupAttention())
    return actual, expected, (torch.randn(2, 8, 36),)


add(
    "fused_group_key_value_swapped",
    "attention",
    "unusual",
    make_falcon,
    "keys and values swapped when the fused projection of each kv group is split",
    ("key", "value", "swap", "swapped", "split", "order"),
)


# ---------------------------------------------------------------- unusual 2: k normalised after rope
class QKNormAttention(nn.Module):
    def __init__(self, dim=32, heads=2):
        super().__init__()
        self.heads, self.hd = heads, dim // heads
        self.q_proj = nn.Linear(dim, dim, bias=False)
        self.k_proj = nn.Linear(dim, dim, bias=False)
        self.v_proj = nn.Linear(dim, dim, bias=False)
        self.o_proj = nn.Linear(dim, dim, bias=False)
        self.q_norm = nn.RMSNorm(self.hd, eps=1e-6)
        self.k_norm = nn.RMSNorm(self.hd, eps=1e-6)

    def rope(self, x):
        cos, sin = rope_tables(x.shape[2], self.hd)
        a, b = x.chunk(2, dim=-1)
        return torch.cat((a * cos - b * sin, b * cos + a * sin), dim=-1)

    def forward(self, x):
        b, t, d = x.shape
        q = self.q_norm(self.q_proj(x).view(b, t, self.heads, self.hd)).transpose(1, 2)
        k = self.k_norm(self.k_proj(x).view(b, t, self.heads, self.hd)).transpose(1, 2)
        v = self.v_proj(x).view(b, t, self.heads, self.hd).transpose(1, 2)
        q, k = self.rope(q), self.rope(k)  # original
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.o_proj(y.transpose(1, 2).reshape(b, t, d))


class QKNormAttentionPort(QKNormAttention):
    def forward(self, x):
        b, t, d = x.shape
        q, k, v = (p(x).view(b, t, self.heads, self.hd).transpose(1, 2) for p in (self.q_proj, self.k_proj, self.v_proj))
        q = self.rope(self.q_norm(q))
        k = self.k_norm(self.rope(k))  # planted
        s = q @ k.transpose(2, 3) / math.sqrt(self.hd)
        s = s + torch.full((t, t), float("-inf")).triu(1)
        return self.o_proj((s.softmax(-1) @ v).transpose(1, 2).reshape(b, t, d))


def make_qknorm(seed):
    torch.manual_seed(seed)
    actual, expected = twin(QKNormAttentionPort, jitter(QKNormAttention(), 0.15))
    return actual, expected, (torch.randn(2, 10, 32),)


add(
    "key_norm_after_rope",
    "attention",
    "unusual",
    make_qknorm,
    "the keys (not the queries) are RMS-normalised after the rotary embedding instead of before it",
    ("k_norm", "rope", "rotary", "after", "before", "order"),
)


# ---------------------------------------------------------------- unusual 3: softcap before the scale
def make_softcap(seed):
    torch.manual_seed(seed)
    wq, wk, wv = (torch.randn(3, 24, 12) / 24**0.5).unbind(0)
    cap = 50.0

    def expected(x):
        q, k, v = x @ wq, x @ wk, x @ wv
        scores = q @ k.transpose(-1, -2) * 12**-0.5
        scores = cap * torch.tanh(scores / cap)  # original
        t = x.shape[1]
        scores = scores.masked_fill(torch.ones(t, t).triu(1) > 0, float("-inf"))
        return F.softmax(scores, dim=-1) @ v

    def actual(x):
        q, k, v = x @ wq, x @ wk, x @ wv
        t = x.shape[1]
        logits = torch.einsum("bqd,bkd->bqk", q, k)
        logits = torch.tanh(logits / cap) * cap * 12**-0.5  # planted
        causal = torch.arange(t)[:, None] >= torch.arange(t)[None]
        logits = torch.where(causal, logits, torch.tensor(float("-inf")))
        return torch.einsum("bqk,bkd->bqd", logits.softmax(-1), v)

    return actual, expected, (torch.randn(2, 9, 24),)


add(
    "softcap_before_scale",
    "attention",
    "unusual",
    make_softcap,
    "the soft cap (tanh) is applied to the raw dot products, before the 1/sqrt(d) scale, instead of to the scaled scores",
    ("softcap", "soft cap", "cap", "tanh", "scale", "before"),
)


# ---------------------------------------------------------------- unusual 4: relative position bias sign
class RelativeBiasAttention(nn.Module):
    def __init__(self, dim=24, heads=4, max_dist=6):
        super().__init__()
        self.heads, self.max_dist = heads, max_dist
        self.qkv = nn.Linear(dim, 3 * dim)
        self.rel = nn.Embedding(2 * max_dist + 1, heads)
        self.proj = nn.Linear(dim, dim)

    def bias(self, t):
        i = torch.arange(t)
        dist = i[None, :] - i[:, None]  # original
        idx = dist.clamp(-self.max_dist, self.max_dist) + self.max_dist
        return self.rel(idx).permute(2, 0, 1)

    def forward(self, x):
        b, t, d = x.shape
        q, k, v = self.qkv(x).view(b, t, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        y = F.scaled_dot_product_attention(q, k, v, attn_mask=self.bias(t))
        return self.proj(y.transpose(1, 2).reshape(b, t, d))


class RelativeBiasAttentionPort(RelativeBiasAttention):
    def forward(self, x):
        b, t, d = x.shape
        q, k, v = self.qkv(x).view(b, t, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        s = q @ k.mT / math.sqrt(d // self.heads)
        pos = torch.arange(t)
        rel = (pos.view(-1, 1) - pos.view(1, -1)).clamp(-self.max_dist, self.max_dist)  # planted
        s = s + F.embedding(rel + self.max_dist, self.rel.weight).permute(2, 0, 1)
        y = s.softmax(dim=-1) @ v
        return self.proj(y.transpose(1, 2).flatten(2))


def make_relbias(seed):
    torch.manual_seed(seed)
    expected = RelativeBiasAttention()
    with torch.no_grad():
        expected.rel.weight.mul_(0.4)
    actual, expected = twin(RelativeBiasAttentionPort, expected)
    return actual, expected, (torch.randn(2, 11, 24),)


add(
    "relative_bias_direction",
    "attention",
    "unusual",
    make_relbias,
    "relative position bias looked up with query minus key instead of key minus query (bias matrix transposed)",
    ("relative", "sign", "transposed", "direction", "distance", "reversed"),
)


# ---------------------------------------------------------------- unusual 5: residual from the normed tensor
class SwiGLUBlock(nn.Module):
    def __init__(self, dim=28, hidden=56):
        super().__init__()
        self.norm_a = nn.RMSNorm(dim, eps=1e-6)
        self.mix = nn.Linear(dim, dim)
        self.norm_b = nn.RMSNorm(dim, eps=1e-6)
        self.gate = nn.Linear(dim, hidden, bias=False)
        self.up = nn.Linear(dim, hidden, bias=False)
        self.down = nn.Linear(hidden, dim, bias=False)

    def forward(self, x):
        x = x + self.mix(self.norm_a(x))
        h = self.norm_b(x)
        return x + self.down(F.silu(self.gate(h)) * self.up(h))  # original


class SwiGLUBlockPort(SwiGLUBlock):
    def forward(self, x):
        x = x + self.mix(self.norm_a(x))
        x = self.norm_b(x)
        g = self.gate(x)
        return x + self.down(g * torch.sigmoid(g) * self.up(x))  # planted


def make_residual(seed):
    torch.manual_seed(seed)
    actual, expected = twin(SwiGLUBlockPort, jitter(SwiGLUBlock(), 0.1))
    return actual, expected, (torch.randn(2, 5, 28),)


add(
    "mlp_residual_from_normed",
    "block",
    "unusual",
    make_residual,
    "the second residual adds the normalised tensor (output of norm_b) instead of the un-normalised stream",
    ("residual", "skip", "norm_b", "normalised", "normalized", "normed"),
)


# ---------------------------------------------------------------- unusual 6: peephole
class PeepholeLSTM(nn.Module):
    def __init__(self, d_in=8, d_h=12):
        super().__init__()
        self.d_h = d_h
        self.x2g = nn.Linear(d_in, 4 * d_h)
        self.h2g = nn.Linear(d_h, 4 * d_h, bias=False)
        self.peep_i = nn.Parameter(torch.randn(d_h) * 0.5)
        self.peep_f = nn.Parameter(torch.randn(d_h) * 0.5)
        self.peep_o = nn.Parameter(torch.randn(d_h) * 0.5)

    def forward(self, x):
        h = c = x.new_zeros(x.shape[0], self.d_h)
        out = []
        for t in range(x.shape[1]):
            i, f, g, o = (self.x2g(x[:, t]) + self.h2g(h)).chunk(4, -1)
            i = torch.sigmoid(i + self.peep_i * c)
            f = torch.sigmoid(f + self.peep_f * c)
            c = f * c + i * torch.tanh(g)
            o = torch.sigmoid(o + self.peep_o * c)  # original
            h = o * torch.tanh(c)
            out.append(h)
        return torch.stack(out, 1)


class PeepholeLSTMPort(PeepholeLSTM):
    def forward(self, x):
        b, t, _ = x.shape
        h = c = torch.zeros(b, self.d_h)
        xs = self.x2g(x)
        out = []
        for s in range(t):
            i, f, g, o = (xs[:, s] + self.h2g(h)).chunk(4, -1)
            i = (i + self.peep_i * c).sigmoid()
            f = (f + self.peep_f * c).sigmoid()
            o = (o + self.peep_o * c).sigmoid()  # planted
            c = f * c + i * g.tanh()
            h = o * c.tanh()
            out.append(h)
        return torch.stack(out, dim=1)


def make_peephole(seed):
    torch.manual_seed(seed)
    actual, expected = twin(PeepholeLSTMPort, PeepholeLSTM())
    return actual, expected, (torch.randn(3, 7, 8),)


add(
    "peephole_output_gate_old_cell",
    "recurrent",
    "unusual",
    make_peephole,
    "the output gate's peephole reads the old cell state instead of the updated one",
    ("peephole", "output gate", "cell", "old", "previous", "updated"),
)


# ---------------------------------------------------------------- unusual 7: SSM dt bias outside softplus
def make_ssm(seed):
    torch.manual_seed(seed)
    d, n = 6, 4
    a_log = torch.log(torch.arange(1, n + 1).float()).repeat(d, 1)
    skip = torch.randn(d)
    w_dt, w_b, w_c = torch.randn(d, d) * 0.3, torch.randn(d, n) * 0.5, torch.randn(d, n) * 0.5
    dt_bias = torch.rand(d) * 0.4

    def expected(x):
        dt = F.softplus(x @ w_dt + dt_bias)  # original
        bm, cm = x @ w_b, x @ w_c
        a = -torch.exp(a_log)
        h = x.new_zeros(x.shape[0], d, n)
        ys = []
        for t in range(x.shape[1]):
            da = torch.exp(dt[:, t, :, None] * a)
            h = da * h + dt[:, t, :, None] * bm[:, t, None, :] * x[:, t, :, None]
            ys.append((h * cm[:, t, None, :]).sum(-1))
        return torch.stack(ys, 1) + x * skip

    def actual(x):
        dt = F.softplus(x @ w_dt) + dt_bias  # planted
        bm, cm = x @ w_b, x @ w_c
        decay = torch.exp(torch.einsum("btd,dn->btdn", dt, -a_log.exp()))
        drive = torch.einsum("btd,btn,btd->btdn", dt, bm, x)
        state, ys = torch.zeros_like(drive[:, 0]), []
        for dec, inp, c in zip(decay.unbind(1), drive.unbind(1), cm.unbind(1)):
            state = dec * state + inp
            ys.append(torch.einsum("bdn,bn->bd", state, c))
        return torch.stack(ys, dim=1) + skip * x

    return actual, expected, (torch.randn(2, 9, d),)


add(
    "ssm_dt_bias_outside_softplus",
    "recurrent",
    "unusual",
    make_ssm,
    "the step-size bias is added after the softplus instead of inside it",
    ("softplus", "dt", "dt_bias", "bias", "step size"),
    gradients=True,
)


# ---------------------------------------------------------------- unusual 8: position ids off by one
class RobertaStyleEmbedding(nn.Module):
    def __init__(self, vocab=25, dim=18, max_pos=24, pad=1):
        super().__init__()
        self.pad = pad
        self.word = nn.Embedding(vocab, dim, padding_idx=pad)
        self.position = nn.Embedding(max_pos, dim, padding_idx=pad)
        self.norm = nn.LayerNorm(dim, eps=1e-5)

    def forward(self, ids):
        mask = ids.ne(self.pad).int()
        pos = (torch.cumsum(mask, dim=1) * mask).long() + self.pad  # original
        return self.norm(self.word(ids) + self.position(pos))


class RobertaStyleEmbeddingPort(RobertaStyleEmbedding):
    def forward(self, ids):
        real = ids != self.pad
        count = real.long().cumsum(dim=1)
        pos = torch.where(real, count - 1 + self.pad, torch.full_like(ids, self.pad))  # planted
        return self.norm(F.embedding(ids, self.word.weight) + F.embedding(pos, self.position.weight))


def make_roberta(seed):
    torch.manual_seed(seed)
    expected = RobertaStyleEmbedding()
    with torch.no_grad():
        expected.position.weight.mul_(0.05)
    actual, expected = twin(RobertaStyleEmbeddingPort, expected)
    ids = torch.randint(2, 25, (3, 10))
    ids[0, 7:] = 1
    ids[2, 5:] = 1
    return actual, expected, (ids,)


add(
    "position_ids_start_at_padding",
    "embedding",
    "unusual",
    make_roberta,
    "position ids are one too low: they start at padding_idx instead of padding_idx + 1 (off by one)",
    ("position", "off by one", "off-by-one", "shift", "padding_idx"),
)


# ---------------------------------------------------------------- unusual 9: groups strided
class ConvGroupNorm(nn.Module):
    def __init__(self, ch=12, groups=3):
        super().__init__()
        self.groups = groups
        self.conv = nn.Conv1d(4, ch, 3, padding=1)
        self.norm = nn.GroupNorm(groups, ch)
        self.out = nn.Conv1d(ch, 4, 1)

    def forward(self, x):
        h = self.norm(self.conv(x))  # original
        return x + self.out(F.silu(h))


class ConvGroupNormPort(ConvGroupNorm):
    def forward(self, x):
        h = self.conv(x)
        b, c, t = h.shape
        z = h.reshape(b, c // self.groups, self.groups, t)
        mu = z.mean(dim=(1, 3), keepdim=True)  # planted
        var = (z - mu).square().mean(dim=(1, 3), keepdim=True)
        h = ((z - mu) * torch.rsqrt(var + self.norm.eps)).reshape(b, c, t)
        h = h * self.norm.weight[:, None] + self.norm.bias[:, None]
        return x + self.out(h * h.sigmoid())


def make_groupnorm(seed):
    torch.manual_seed(seed)
    actual, expected = twin(ConvGroupNormPort, jitter(ConvGroupNorm()))
    return actual, expected, (torch.randn(2, 4, 10),)


add(
    "groupnorm_strided_groups",
    "norm",
    "unusual",
    make_groupnorm,
    "GroupNorm groups are made of strided channels (c % groups) instead of contiguous blocks of channels",
    ("group", "groups", "strided", "interleaved", "contiguous", "channel"),
)


# ---------------------------------------------------------------- unusual 10: weight norm dims
def make_weightnorm(seed):
    torch.manual_seed(seed)
    conv = nn.utils.parametrizations.weight_norm(nn.Conv1d(6, 10, 3, padding=1), dim=0)  # original
    with torch.no_grad():
        conv.parametrizations.weight.original0.mul_(1 + 0.3 * torch.randn(10, 1, 1))
    head = nn.Conv1d(10, 5, 1)
    expected = nn.Sequential(conv, nn.LeakyReLU(0.1), head).eval()

    class WNConvPort(nn.Module):
        def __init__(self):
            super().__init__()
            self.g = nn.Parameter(conv.parametrizations.weight.original0.detach().clone())
            self.v = nn.Parameter(conv.parametrizations.weight.original1.detach().clone())
            self.b = nn.Parameter(conv.bias.detach().clone())
            self.head = copy.deepcopy(head)

        def forward(self, x):
            norm = self.v.pow(2).sum(dim=1, keepdim=True).sqrt()  # planted
            w = self.g * self.v / norm
            return self.head(F.leaky_relu(F.conv1d(x, w, self.b, padding=1), 0.1))

    return WNConvPort().eval(), expected, (torch.randn(2, 6, 12),)


add(
    "weight_norm_misses_kernel_axis",
    "norm",
    "unusual",
    make_weightnorm,
    "weight norm taken over the input channels only, not also over the kernel axis",
    ("weight norm", "weight_norm", "axis", "dim", "kernel"),
)


# ---------------------------------------------------------------- unusual 11: adafactor clip
def make_adafactor(seed):
    torch.manual_seed(seed)
    lr, clip, eps1, eps2 = 5e-2, 0.8, 1e-30, 1e-3

    def rms(z):
        return z.pow(2).mean().sqrt()

    def expected(p, grads):
        row, col = torch.zeros(p.shape[0]), torch.zeros(p.shape[1])
        for t, g in enumerate(grads, start=1):
            beta = 1.0 - t**-0.8
            sq = g.square() + eps1
            row = beta * row + (1 - beta) * sq.mean(dim=1)
            col = beta * col + (1 - beta) * sq.mean(dim=0)
            u = g * torch.rsqrt(row / row.mean())[:, None] * torch.rsqrt(col)[None, :]
            u = u / torch.clamp(rms(u) / clip, min=1.0)  # original
            p = p - lr * torch.clamp(rms(p), min=eps2) * u
        return p

    def actual(p, grads):
        row, col = p.new_zeros(p.shape[0]), p.new_zeros(p.shape[1])
        for t, g in enumerate(grads, start=1):
            beta = 1.0 - math.pow(t, -0.8)
            sq = g * g + eps1
            row = row * beta + sq.mean(1) * (1 - beta)
            col = col * beta + sq.mean(0) * (1 - beta)
            v = torch.outer(row, col) / row.mean()
            u = g / v.sqrt()
            u = u / (rms(g) / clip).clamp(min=1.0)  # planted
            p = p - lr * rms(p).clamp(min=eps2) * u
        return p

    return actual, expected, (torch.randn(9, 7), torch.randn(2, 9, 7) * 0.2)


add(
    "adafactor_clip_by_grad_rms",
    "optimizer",
    "unusual",
    make_adafactor,
    "update clipping uses the RMS of the raw gradient instead of the RMS of the update",
    ("clip", "clipping", "rms", "update", "threshold"),
)


# ---------------------------------------------------------------- unusual 12: Muon aspect ratio
def make_muon(seed):
    torch.manual_seed(seed)
    lr, mu = 0.02, 0.95
    a, b, c = 3.4445, -4.7750, 2.0315

    def expected(p, buf, grad):
        buf = mu * buf + grad
        x = grad + mu * buf
        x = x / (x.norm() + 1e-7)
        for _ in range(5):
            gram = x @ x.T
            poly = b * gram + c * gram @ gram
            x = a * x + poly @ x
        return p - lr * max(1.0, p.shape[0] / p.shape[1]) ** 0.5 * x  # original

    def actual(p, buf, grad):
        buf = buf * mu + grad
        x = torch.add(grad, buf, alpha=mu)
        x = x / (torch.linalg.matrix_norm(x) + 1e-7)
        for _ in range(5):
            gram = torch.mm(x, x.t())
            x = a * x + torch.mm(torch.addmm(gram, gram, gram, beta=b, alpha=c), x)
        scale = math.sqrt(max(1.0, p.size(1) / p.size(0)))  # planted
        return p - lr * scale * x

    return actual, expected, (torch.randn(6, 10) * 0.2, torch.randn(6, 10) * 0.1, torch.randn(6, 10))


add(
    "muon_aspect_ratio_inverted",
    "optimizer",
    "unusual",
    make_muon,
    "the shape factor of the orthogonalised update uses columns / rows instead of rows / columns (1.29 instead of 1)",
    ("aspect", "ratio", "shape", "inverted", "scale", "1.29"),
)


# ---------------------------------------------------------------- unusual 13: infonce not transposed
def make_infonce(seed):
    torch.manual_seed(seed)

    class Clip(nn.Module):
        def __init__(self):
            super().__init__()
            self.image = nn.Linear(14, 8, bias=False)
            self.text = nn.Linear(10, 8, bias=False)
            self.logit_scale = nn.Parameter(torch.tensor(math.log(1 / 0.2)))

        def forward(self, img, txt):
            i = F.normalize(self.image(img), dim=-1)
            t = F.normalize(self.text(txt), dim=-1)
            logits = self.logit_scale.exp() * i @ t.T
            labels = torch.arange(img.shape[0])
            return (F.cross_entropy(logits, labels) + F.cross_entropy(logits.T, labels)) / 2  # original

    class ClipPort(Clip):
        def forward(self, img, txt):
            i, t = self.image(img), self.text(txt)
            i = i / i.norm(dim=-1, keepdim=True)
            t = t / t.norm(dim=-1, keepdim=True)
            sim = torch.matmul(i, t.t()) * self.logit_scale.exp()
            match = sim.diagonal()
            loss_i = (torch.logsumexp(sim, dim=1) - match).mean()
            loss_t = (torch.logsumexp(sim, dim=-1) - match).mean()  # planted
            return 0.5 * (loss_i + loss_t)

    actual, expected = twin(ClipPort, Clip())
    return actual, expected, (torch.randn(7, 14), torch.randn(7, 10))


add(
    "clip_loss_same_direction_twice",
    "loss",
    "unusual",
    make_infonce,
    "the text-to-image half of the symmetric contrastive loss is taken over the same axis as the image-to-text half (not transposed)",
    ("transpose", "transposed", "symmetric", "axis", "dim", "direction"),
    scalar=True,
)


# ---------------------------------------------------------------- unusual 14: focal power
def make_focal(seed):
    torch.manual_seed(seed)
    alpha, gamma = 0.25, 2.0
    target = (torch.rand(5, 12) > 0.7).float()

    def expected(logits):
        p = torch.sigmoid(logits)
        ce = F.binary_cross_entropy_with_logits(logits, target, reduction="none")
        p_t = p * target + (1 - p) * (1 - target)
        loss = ce * ((1 - p_t) ** gamma)  # original
        alpha_t = alpha * target + (1 - alpha) * (1 - target)
        return (alpha_t * loss).mean()

    def actual(logits):
        signed = torch.where(target > 0, logits, -logits)
        log_pt = F.logsigmoid(signed)
        p_t = log_pt.exp()
        weight = torch.where(target > 0, torch.tensor(alpha), torch.tensor(1 - alpha))
        loss = (-log_pt * (1 - p_t)) ** gamma  # planted
        return (weight * loss).mean()

    return actual, expected, (torch.randn(5, 12) * 1.5,)


add(
    "focal_power_over_product",
    "loss",
    "unusual",
    make_focal,
    "the focusing exponent gamma is applied to the product (1 - p_t) * ce instead of to (1 - p_t) only",
    ("gamma", "power", "exponent", "focusing", "pow"),
    scalar=True,
    gradients=True,
)


# ---------------------------------------------------------------- unusual 15: dice smooth doubled
def make_dice(seed):
    torch.manual_seed(seed)
    smooth = 1.0
    mask = (torch.rand(3, 2, 8, 8) > 0.6).float()

    def expected(logits):
        p = torch.sigmoid(logits)
        inter = (p * mask).sum(dim=(2, 3))
        total = p.sum(dim=(2, 3)) + mask.sum(dim=(2, 3))
        dice = (2.0 * inter + smooth) / (total + smooth)  # original
        return 1 - dice.mean()

    def actual(logits):
        p = logits.sigmoid().flatten(2)
        m = mask.flatten(2)
        overlap = torch.einsum("bcn,bcn->bc", p, m)
        score = 2.0 * (overlap + smooth) / (p.sum(-1) + m.sum(-1) + smooth)  # planted
        return (1.0 - score).mean()

    return actual, expected, (torch.randn(3, 2, 8, 8),)


add(
    "dice_smooth_doubled",
    "loss",
    "unusual",
    make_dice,
    "the smoothing constant in the Dice numerator is doubled: 2 * (inter + smooth) instead of 2 * inter + smooth",
    ("smooth", "smoothing", "numerator", "doubled"),
    scalar=True,
)


# ---------------------------------------------------------------- unusual 16: z-loss square of the mean
def make_zloss(seed):
    torch.manual_seed(seed)
    coef = 1e-2
    target = torch.randint(0, 8, (20,))

    def expected(logits):
        lse = torch.logsumexp(logits, dim=-1)
        ce = F.cross_entropy(logits, target)
        return ce + coef * lse.pow(2).mean()  # original

    def actual(logits):
        lse = logits.exp().sum(-1).log()
        ce = (lse - logits.gather(1, target[:, None]).squeeze(1)).mean()
        return ce + coef * lse.mean().pow(2)  # planted

    return actual, expected, (torch.randn(20, 8),)


add(
    "zloss_square_of_mean",
    "loss",
    "unusual",
    make_zloss,
    "the z-loss squares the mean log-sum-exp instead of averaging its squares",
    ("z-loss", "zloss", "square", "squared", "logsumexp", "pow"),
    scalar=True,
)


# ================================================================ honest
class HandMHA(nn.Module):
    def __init__(self, mha):
        super().__init__()
        self.h = mha.num_heads
        self.w, self.b = mha.in_proj_weight, mha.in_proj_bias
        self.out = copy.deepcopy(mha.out_proj)

    def forward(self, x):
        b, t, d = x.shape
        q, k, v = F.linear(x, self.w, self.b).view(b, t, 3, self.h, d // self.h).unbind(2)
        att = torch.einsum("bihd,bjhd->bhij", q / math.sqrt(d // self.h), k)
        att = (att - att.amax(-1, keepdim=True)).exp()
        att = att / att.sum(-1, keepdim=True)
        return self.out(torch.einsum("bhij,bjhd->bihd", att, v).reshape(b, t, d))


class FrameworkMHA(nn.Module):
    def __init__(self, dim=24, heads=4):
        super().__init__()
        self.mha = nn.MultiheadAttention(dim, heads, batch_first=True)

    def forward(self, x):
        return self.mha(x, x, x, need_weights=False)[0]


def make_honest_mha(seed):
    torch.manual_seed(seed)
    expected = jitter(FrameworkMHA()).eval()
    return HandMHA(expected.mha).eval(), expected, (torch.randn(2, 9, 24),)


add("multihead_by_hand", "attention", "honest", make_honest_mha)


def make_honest_alibi(seed):
    torch.manual_seed(seed)
    h, window = 4, 5
    slopes = 2.0 ** (-8.0 * torch.arange(1, h + 1) / h)

    def expected(q, k, v):
        i = torch.arange(q.shape[2])
        dist = i[:, None] - i[None, :]
        bias = -slopes[:, None, None] * dist
        bias = bias.masked_fill((dist < 0) | (dist >= window), float("-inf"))
        return F.scaled_dot_product_attention(q, k, v, attn_mask=bias)

    def actual(q, k, v):
        t, d = q.shape[2:]
        outs = []
        for i in range(t):
            lo = max(0, i - window + 1)
            s = (k[:, :, lo : i + 1] * q[:, :, i : i + 1]).sum(-1) / math.sqrt(d)
            s = s + slopes[:, None] * torch.arange(lo, i + 1)
            w = s.softmax(-1)
            outs.append((w.unsqueeze(-1) * v[:, :, lo : i + 1]).sum(2))
        return torch.stack(outs, dim=2)

    return actual, expected, tuple(torch.randn(2, h, 11, 6) for _ in range(3))


add("alibi_sliding_window_loop", "attention", "honest", make_honest_alibi)


def make_honest_layernorm(seed):
    torch.manual_seed(seed)
    expected = jitter(nn.Sequential(nn.Linear(20, 32), nn.LayerNorm(32), nn.Linear(32, 8)))
    lin, ln, head = copy.deepcopy(expected)

    def actual(x):
        h = lin(x)
        mu = h.mean(-1, keepdim=True)
        var = (h * h).mean(-1, keepdim=True) - mu * mu
        h = (h - mu) * torch.rsqrt(var + ln.eps)
        return head(ln.weight * h + ln.bias)

    return actual, expected.eval(), (torch.randn(5, 20),)


add("layernorm_by_moments", "norm", "honest", make_honest_layernorm, gradients=True)


def make_honest_fold(seed):
    torch.manual_seed(seed)
    conv, bn = nn.Conv2d(3, 8, 3, padding=1, bias=False), nn.BatchNorm2d(8)
    jitter(bn)
    bn.running_mean.copy_(torch.randn(8) * 0.3)
    bn.running_var.copy_(torch.rand(8) + 0.3)
    expected = nn.Sequential(conv, bn, nn.ReLU()).eval()
    fused = nn.Conv2d(3, 8, 3, padding=1)
    with torch.no_grad():
        s = bn.weight / torch.sqrt(bn.running_var + bn.eps)
        fused.weight.copy_(conv.weight * s[:, None, None, None])
        fused.bias.copy_(bn.bias - bn.running_mean * s)
    return nn.Sequential(fused, nn.ReLU()).eval(), expected, (torch.randn(2, 3, 7, 7),)


add("batchnorm_folded_into_conv", "norm", "honest", make_honest_fold, gradients=True)


def make_honest_bigru(seed):
    torch.manual_seed(seed)
    gru = nn.GRU(7, 9, batch_first=True, bidirectional=True)

    def expected(x):
        return gru(x)[0]

    def run(x, suffix):
        w, u = getattr(gru, "weight_ih_l0" + suffix), getattr(gru, "weight_hh_l0" + suffix)
        bi, bh = getattr(gru, "bias_ih_l0" + suffix), getattr(gru, "bias_hh_l0" + suffix)
        h, ys = x.new_zeros(x.shape[0], 9), []
        for t in range(x.shape[1]):
            xr, xz, xn = (x[:, t] @ w.T + bi).split(9, -1)
            hr, hz, hn = (h @ u.T + bh).split(9, -1)
            n = torch.tanh(xn + torch.sigmoid(xr + hr) * hn)
            h = n + torch.sigmoid(xz + hz) * (h - n)
            ys.append(h)
        return torch.stack(ys, 1)

    def actual(x):
        return torch.cat((run(x, ""), run(x.flip(1), "_reverse").flip(1)), dim=-1)

    return actual, expected, (torch.randn(3, 6, 7),)


add("bidirectional_gru_by_hand", "recurrent", "honest", make_honest_bigru)


def make_honest_ssm(seed):
    torch.manual_seed(seed)
    n = 5
    a = torch.rand(n) * 0.6 + 0.3
    b, c, d = torch.randn(n), torch.randn(n), torch.randn(())

    def expected(u):
        h, ys = u.new_zeros(u.shape[0], n), []
        for t in range(u.shape[1]):
            h = a * h + b * u[:, t, None]
            ys.append(h @ c + d * u[:, t])
        return torch.stack(ys, 1)

    def actual(u):
        t = u.shape[1]
        taps = (a[None] ** torch.arange(t)[:, None] * b * c).sum(-1)
        y = F.conv1d(F.pad(u, (t - 1, 0))[:, None], taps.flip(0)[None, None])[:, 0]
        return y + d * u

    return actual, expected, (torch.randn(3, 16),)


add("ssm_scan_as_convolution", "recurrent", "honest", make_honest_ssm)


def make_honest_sgd(seed):
    torch.manual_seed(seed)
    lr, mom, wd = 0.05, 0.9, 1e-2

    def expected(p, grads):
        w = nn.Parameter(p.detach().clone())
        opt = torch.optim.SGD([w], lr=lr, momentum=mom, nesterov=True, weight_decay=wd)
        sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=len(grads))
        for g in grads:
            w.grad = g.detach().clone()
            opt.step()
            sched.step()
        return w.detach()

    def actual(p, grads):
        buf = torch.zeros_like(p)
        n = grads.shape[0]
        for t in range(n):
            g = grads[t] + wd * p
            buf = mom * buf + g
            rate = 0.5 * lr * (1 + math.cos(math.pi * t / n))
            p = p - rate * (g + mom * buf)
        return p

    return actual, expected, (torch.randn(8, 5), torch.randn(4, 8, 5))


add("sgd_nesterov_cosine_by_hand", "optimizer", "honest", make_honest_sgd)


def make_honest_ce(seed):
    torch.manual_seed(seed)
    weight = torch.rand(6) + 0.5
    target = torch.randint(0, 6, (18,))
    target[3] = target[11] = -1

    def expected(logits):
        return F.cross_entropy(logits, target, weight=weight, ignore_index=-1)

    def actual(logits):
        keep = target >= 0
        x, y = logits[keep], target[keep]
        top = x.max(dim=1, keepdim=True).values
        lse = (x - top).exp().sum(1).log() + top[:, 0]
        nll = lse - x[torch.arange(y.numel()), y]
        w = weight[y]
        return (w * nll).sum() / w.sum()

    return actual, expected, (torch.randn(18, 6) * 3,)


add("weighted_cross_entropy_by_hand", "loss", "honest", make_honest_ce, scalar=True)


def make_honest_kl(seed):
    torch.manual_seed(seed)

    def expected(mu, logvar, mu2, logvar2):
        p = torch.distributions.Normal(mu, (0.5 * logvar).exp())
        q = torch.distributions.Normal(mu2, (0.5 * logvar2).exp())
        return torch.distributions.kl_divergence(p, q).sum(-1).mean()

    def actual(mu, logvar, mu2, logvar2):
        terms = logvar2 - logvar + (logvar.exp() + (mu - mu2) ** 2) / logvar2.exp() - 1
        return 0.5 * terms.sum() / mu.shape[0]

    return actual, expected, tuple(torch.randn(9, 5) * s for s in (1.0, 0.5, 1.0, 0.5))


add("gaussian_kl_closed_form", "loss", "honest", make_honest_kl, scalar=True)


class MoETopkSoftmax(MoE):
    def forward(self, x):
        top, idx = self.gate(x).topk(self.k, dim=-1)
        w = torch.softmax(top, dim=-1)
        out = torch.zeros_like(x)
        for e, expert in enumerate(self.experts):
            rows, slot = torch.where(idx == e)
            if rows.numel():
                out = out.index_add(0, rows, expert(x[rows]) * w[rows, slot, None])
        return out


def make_honest_moe(seed):
    torch.manual_seed(seed)
    actual, expected = twin(MoETopkSoftmax, MoE())
    return actual, expected, (torch.randn(10, 20),)


add("moe_softmax_after_topk", "block", "honest", make_honest_moe)
