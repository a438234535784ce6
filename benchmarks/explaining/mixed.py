"""64 pairs of ports of every kind, by a third author: attention, norms, recurrent cells, images, audio, routing, diffusion, training.

Written without sight of halfulp; scored by the words that the author expected (`by_words`).
"""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import nn

from .registry import Fresh, entering

PAIRS: list[Fresh] = []


pair = entering(PAIRS)


def _gen(seed, salt):
    g = torch.Generator()
    g.manual_seed(7919 * seed + salt)
    return g


def _rn(g, *shape):
    return torch.randn(*shape, generator=g)


def _ru(g, *shape):
    return torch.rand(*shape, generator=g)


def _fill(module, g, scale=0.3):
    for p in module.parameters():
        p.data.copy_(torch.randn(p.shape, generator=g) * scale)
        p.requires_grad_(False)
    return module


# --------------------------------------------------------------------------
# attention
# --------------------------------------------------------------------------


@pair(
    "rope_pairing",
    "attention",
    "The rotary embedding pairs dimension i with i + d/2 (half-split layout) where the reference rotates interleaved pairs (2i, 2i+1).",
    words=("interleav", "half", "pair", "even", "odd", "rotat", "layout", "stride", "slice", "[::2]"),
)
def _(seed):
    g = _gen(seed, 1)
    q, k, v = (_rn(g, 2, 4, 12, 16) for _ in range(3))

    def rotate_every_two(x):
        x1 = x[..., ::2]
        x2 = x[..., 1::2]
        return torch.stack((-x2, x1), dim=-1).flatten(-2)

    def expected(q, k, v):
        d, t = q.shape[-1], q.shape[-2]
        inv_freq = 1.0 / (10000 ** (torch.arange(0, d, 2, dtype=q.dtype) / d))
        sinusoid = torch.einsum("i,j->ij", torch.arange(t, dtype=q.dtype), inv_freq)
        sin = torch.sin(sinusoid).repeat_interleave(2, -1)
        cos = torch.cos(sinusoid).repeat_interleave(2, -1)
        q = q * cos + rotate_every_two(q) * sin
        k = k * cos + rotate_every_two(k) * sin
        return F.scaled_dot_product_attention(q, k, v, is_causal=True)

    def actual(q, k, v):
        b, h, t, d = q.shape
        m = d // 2
        ang = torch.arange(t, dtype=q.dtype)[:, None] * torch.exp(-math.log(10000.0) * torch.arange(m, dtype=q.dtype) / m)
        c, s = ang.cos(), ang.sin()

        def turn(x):
            a, z = x[..., :m], x[..., m:]
            return torch.cat([a * c - z * s, z * c + a * s], -1)

        logits = turn(q) @ turn(k).transpose(-1, -2) * d**-0.5
        logits = logits.masked_fill(torch.ones(t, t).triu(1).bool(), float("-inf"))
        return logits.softmax(-1) @ v

    return actual, expected, (q, k, v)


@pair(
    "alibi_first_slope",
    "attention",
    "The ALiBi slopes start at 2**0 = 1 (exponent counts heads from 0) where the reference starts at 2**(-8/n), counting from 1.",
    words=("slope", "alibi", "exponent", "bias", "off by one", "off-by-one", "power", "pow", "arange", "ratio"),
)
def _(seed):
    g = _gen(seed, 2)
    q, k, v = (_rn(g, 2, 8, 16, 8) for _ in range(3))

    def get_slopes(n):
        start = 2 ** (-(2 ** -(math.log2(n) - 3)))
        return [start * start**i for i in range(n)]

    def expected(q, k, v):
        n, t = q.shape[1], q.shape[2]
        slopes = torch.tensor(get_slopes(n), dtype=q.dtype)
        dist = torch.arange(t)[None, :] - torch.arange(t)[:, None]
        bias = slopes[:, None, None] * dist.to(q.dtype)
        causal = torch.full((t, t), float("-inf"), dtype=q.dtype).triu(1)
        return F.scaled_dot_product_attention(q, k, v, attn_mask=bias + causal)

    def actual(q, k, v):
        heads, length, width = q.shape[1:]
        powers = torch.arange(heads, dtype=q.dtype) * (-8.0 / heads)
        m = torch.exp2(powers)
        outs = []
        for h in range(heads):
            s = torch.bmm(q[:, h], k[:, h].mT) / math.sqrt(width)
            pos = torch.arange(length, dtype=q.dtype)
            gap = pos.view(-1, 1) - pos.view(1, -1)
            s = s - m[h] * gap
            s = torch.where(gap < 0, torch.full_like(s, -1e30), s)
            outs.append(torch.bmm(torch.softmax(s, 2), v[:, h]))
        return torch.stack(outs, 1)

    return actual, expected, (q, k, v)


@pair(
    "sliding_window_edge",
    "attention",
    "The sliding-window mask keeps keys with q - k <= window, one more key than the reference, which keeps q - k < window.",
    words=("window", "mask", "off by one", "off-by-one", "<=", "one more key", "one key", "le", "band", "triu", "tril"),
)
def _(seed):
    g = _gen(seed, 3)
    x = _rn(g, 2, 20, 32)
    wqkv = _rn(g, 96, 32) / math.sqrt(32)

    def expected(x, wqkv, window=5):
        b, t, c = x.shape
        q, k, v = F.linear(x, wqkv).view(b, t, 3, 4, 8).permute(2, 0, 3, 1, 4)
        i = torch.arange(t)
        allowed = (i[:, None] >= i[None, :]) & (i[:, None] - i[None, :] < window)
        o = F.scaled_dot_product_attention(q, k, v, attn_mask=allowed)
        return o.transpose(1, 2).reshape(b, t, c)

    def actual(x, wqkv):
        win, nh = 5, 4
        b, t, c = x.shape
        wq, wk, wv = wqkv.split(c, 0)
        q = torch.einsum("btc,dc->btd", x, wq).reshape(b, t, nh, -1)
        k = torch.einsum("btc,dc->btd", x, wk).reshape(b, t, nh, -1)
        v = torch.einsum("btc,dc->btd", x, wv).reshape(b, t, nh, -1)
        att = torch.einsum("bqhd,bkhd->bhqk", q, k).mul_((c // nh) ** -0.5)
        band = torch.ones(t, t, dtype=torch.bool).tril().triu(-win)
        att = att.masked_fill(~band, torch.finfo(att.dtype).min).softmax(dim=-1)
        return torch.einsum("bhqk,bkhd->bqhd", att, v).flatten(2)

    return actual, expected, (x, wqkv)


@pair(
    "cache_position_reset",
    "attention",
    "After the prompt, the new tokens' rotary positions start again at 0: the length of the key/value cache is not added to them.",
    words=("position", "offset", "cache", "past", "prompt", "arange", "restart", "rotary", "angle", "add"),
)
def _(seed):
    g = _gen(seed, 4)
    x = _rn(g, 1, 14, 16)
    w = _rn(g, 3, 16, 16) / 4

    def rope(x, pos):
        d = x.shape[-1]
        inv = 1.0 / (10000 ** (torch.arange(0, d, 2, dtype=x.dtype) / d))
        f = pos.to(x.dtype)[:, None] * inv
        cos, sin = torch.cat((f, f), -1).cos(), torch.cat((f, f), -1).sin()
        x1, x2 = x.chunk(2, -1)
        return x * cos + torch.cat((-x2, x1), -1) * sin

    def expected(x, w):
        t = x.shape[1]
        pos = torch.arange(t)
        q, k, v = rope(x @ w[0], pos), rope(x @ w[1], pos), x @ w[2]
        o = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return o[:, 9:]

    def actual(x, w):
        prompt = 9
        d = x.size(2)
        theta = 10000.0 ** (-torch.arange(d // 2, dtype=x.dtype) * 2 / d)

        def spin(row, p):
            c, s = torch.cos(p * theta), torch.sin(p * theta)
            lo, hi = row[..., : d // 2], row[..., d // 2 :]
            return torch.cat((lo * c - hi * s, hi * c + lo * s), -1)

        ks = [spin(x[:, j] @ w[1], j) for j in range(prompt)]
        vs = [x[:, j] @ w[2] for j in range(prompt)]
        out = []
        for step, j in enumerate(range(prompt, x.size(1))):
            token = x[:, j]
            ks.append(spin(token @ w[1], step))
            vs.append(token @ w[2])
            q = spin(token @ w[0], step)
            keys, vals = torch.stack(ks, 1), torch.stack(vs, 1)
            p = torch.softmax((keys * q[:, None]).sum(-1) / d**0.5, -1)
            out.append((p[..., None] * vals).sum(1))
        return torch.stack(out, 1)

    return actual, expected, (x, w)


@pair(
    "gqa_tiled_heads",
    "attention",
    "The key/value heads are tiled (0,1,0,1,...) where the reference repeats each one for its group of query heads (0,0,..,1,1,..).",
    words=("repeat", "interleav", "tile", "group", "kv head", "head order", "expand", "key", "mapping"),
)
def _(seed):
    g = _gen(seed, 5)
    q = _rn(g, 2, 8, 10, 8)
    k = _rn(g, 2, 2, 10, 8)
    v = _rn(g, 2, 2, 10, 8)

    def repeat_kv(h, n_rep):
        b, n, t, d = h.shape
        return h[:, :, None].expand(b, n, n_rep, t, d).reshape(b, n * n_rep, t, d)

    def expected(q, k, v):
        n_rep = q.shape[1] // k.shape[1]
        return F.scaled_dot_product_attention(q, repeat_kv(k, n_rep), repeat_kv(v, n_rep), is_causal=True)

    def actual(q, k, v):
        b, hq, t, d = q.shape
        hk = k.shape[1]
        qs = q.reshape(b, hq // hk, hk, t, d) * (1 / math.sqrt(d))
        sim = torch.einsum("brhid,bhjd->brhij", qs, k)
        tri = torch.arange(t)[None] > torch.arange(t)[:, None]
        sim = sim.masked_fill(tri, -torch.inf)
        sim = sim - sim.amax(-1, keepdim=True)
        e = sim.exp()
        p = e / e.sum(-1, keepdim=True)
        return torch.einsum("brhij,bhjd->brhid", p, v).reshape(b, hq, t, d)

    return actual, expected, (q, k, v)


@pair(
    "heads_merged_backwards",
    "attention",
    "The heads' outputs are joined in reverse order before the output projection.",
    kind="unusual",
    words=("revers", "flip", "head order", "order of the heads", "permut", "cat", "concat", "backward", "out_proj", "output projection"),
)
def _(seed):
    g = _gen(seed, 6)
    mha = _fill(nn.MultiheadAttention(24, 3, batch_first=True), g, 0.25)
    x = _rn(g, 2, 9, 24)

    def expected(x):
        return mha(x, x, x, need_weights=False)[0]

    w, b = mha.in_proj_weight, mha.in_proj_bias
    wo, bo = mha.out_proj.weight, mha.out_proj.bias

    def actual(x):
        pieces = []
        for h in range(3):
            rows = slice(8 * h, 8 * h + 8)
            q = x @ w[:24][rows].T + b[:24][rows]
            k = x @ w[24:48][rows].T + b[24:48][rows]
            v = x @ w[48:][rows].T + b[48:][rows]
            a = torch.softmax(q @ k.transpose(1, 2) / math.sqrt(8), -1)
            pieces.insert(0, a @ v)
        return torch.cat(pieces, -1) @ wo.T + bo

    return actual, expected, (x,)


# --------------------------------------------------------------------------
# norms
# --------------------------------------------------------------------------


@pair(
    "groupnorm_strided_groups",
    "norm",
    "Group norm takes every fourth channel as a group (channel mod groups) where the reference groups contiguous channels.",
    words=("group", "contiguous", "stride", "reshape", "view", "interleav", "channel", "permut", "mean", "modulo"),
)
def _(seed):
    g = _gen(seed, 11)
    gn = _fill(nn.GroupNorm(4, 12, eps=1e-5), g, 1.0)
    x = _rn(g, 3, 12, 6, 6) * (1 + _ru(g, 1, 12, 1, 1) * 3) + _rn(g, 1, 12, 1, 1)

    def actual(x):
        n, c, h, w = x.shape
        y = x.view(n, c // 4, 4, h, w)
        mu = y.mean(dim=(1, 3, 4), keepdim=True)
        d = y - mu
        s2 = (d * d).mean(dim=(1, 3, 4), keepdim=True)
        y = (d / torch.sqrt(s2 + 1e-5)).view_as(x)
        return y * gn.weight[:, None, None] + gn.bias[:, None, None]

    return actual, gn, (x,)


@pair(
    "rms_eps_outside",
    "norm",
    "RMS norm adds eps to the root instead of under it: x / (sqrt(mean(x^2)) + eps).",
    words=("eps", "epsilon", "inside", "outside", "sqrt", "root", "1e-06", "1e-6", "rsqrt", "after"),
)
def _(seed):
    g = _gen(seed, 12)
    x = _rn(g, 4, 10, 32) * 1e-3
    weight = 1 + 0.2 * _rn(g, 32)

    class RMSNorm(nn.Module):
        def __init__(self, weight, eps=1e-6):
            super().__init__()
            self.weight = nn.Parameter(weight, requires_grad=False)
            self.variance_epsilon = eps

        def forward(self, hidden):
            variance = hidden.pow(2).mean(-1, keepdim=True)
            hidden = hidden * torch.rsqrt(variance + self.variance_epsilon)
            return self.weight * hidden

    def actual(x):
        norm = torch.linalg.vector_norm(x, dim=-1, keepdim=True) / math.sqrt(x.shape[-1])
        return (x / (norm + 1e-6)) * weight

    return actual, RMSNorm(weight.clone()), (x,)


@pair(
    "weight_norm_axis",
    "norm",
    "Weight norm divides by the norm over the output axis (dim 0) where the reference takes one norm "
    "per output channel over the other axes.",
    words=("norm", "axis", "dim", "output channel", "per output", "weight_v", "reduc", "input channel"),
)
def _(seed):
    g = _gen(seed, 13)
    conv = nn.utils.parametrizations.weight_norm(nn.Conv1d(6, 8, 3, padding=1))
    _fill(conv, g, 0.5)
    gain = conv.parametrizations.weight.original0
    direction = conv.parametrizations.weight.original1
    x = _rn(g, 2, 6, 25)

    def actual(x):
        length = direction.square().sum(0, keepdim=True).sqrt()
        kern = gain * (direction / length)
        cols = F.pad(x, (1, 1)).unfold(2, 3, 1)
        return torch.einsum("bitk,oik->bot", cols, kern) + conv.bias[:, None]

    return actual, conv, (x,)


@pair(
    "running_var_biased",
    "norm",
    "The running variance is updated with the biased batch variance (divide by n) where BatchNorm stores the unbiased one (n - 1).",
    words=("unbias", "biased", "bessel", "n - 1", "n-1", "correction", "running", "variance", "var"),
)
def _(seed):
    g = _gen(seed, 14)
    batches = _rn(g, 5, 6, 10) * 1.7 + 0.4
    probe = _rn(g, 7, 10)

    def expected(batches, probe):
        bn = nn.BatchNorm1d(batches.shape[-1], momentum=0.3, affine=False, dtype=batches.dtype)
        bn.train()
        for xb in batches:
            bn(xb)
        bn.eval()
        return bn(probe)

    def actual(batches, probe):
        mean = batches.new_zeros(batches.shape[2])
        var = batches.new_ones(batches.shape[2])
        for i in range(batches.shape[0]):
            m = batches[i].mean(0)
            s = ((batches[i] - m) ** 2).mean(0)
            mean = mean * 0.7 + m * 0.3
            var = var * 0.7 + s * 0.3
        return (probe - mean) / (var + 1e-5).sqrt()

    return actual, expected, (batches, probe)


@pair(
    "instance_norm_clamped",
    "norm",
    "The normalised values are clamped to [-2, 2] before the affine step of instance norm.",
    kind="unusual",
    words=("clamp", "clip", "saturat", "limit", "2.0", "-2", "bound", "truncat", "outlier"),
)
def _(seed):
    g = _gen(seed, 15)
    x = _rn(g, 2, 5, 9, 9) * 3
    gamma = 1 + 0.3 * _rn(g, 5)
    beta = _rn(g, 5)

    def expected(x, gamma, beta):
        return F.instance_norm(x, weight=gamma, bias=beta, eps=1e-5)

    def actual(x, gamma, beta):
        b, c = x.shape[:2]
        flat = x.reshape(b * c, -1)
        var, mu = torch.var_mean(flat, dim=1, correction=0, keepdim=True)
        z = ((flat - mu) * torch.rsqrt(var + 1e-5)).clamp(-2.0, 2.0)
        z = torch.addcmul(beta.repeat(b)[:, None], z, gamma.repeat(b)[:, None])
        return z.view(x.shape)

    return actual, expected, (x, gamma, beta)


# --------------------------------------------------------------------------
# recurrent
# --------------------------------------------------------------------------


@pair(
    "lstm_gate_order",
    "recurrent",
    "The stacked LSTM weights are read as (i, f, o, g) where PyTorch stores (i, f, g, o): cell candidate and output gate are swapped.",
    words=("gate", "order", "swap", "i, f, g, o", "ifgo", "chunk", "split", "output gate", "candidate", "tanh"),
)
def _(seed):
    g = _gen(seed, 21)
    lstm = _fill(nn.LSTM(7, 9, batch_first=True), g, 0.4)
    x = _rn(g, 3, 11, 7)

    def expected(x):
        return lstm(x)[0]

    W = torch.cat([lstm.weight_ih_l0, lstm.weight_hh_l0], 1)
    B = lstm.bias_ih_l0 + lstm.bias_hh_l0

    def actual(x):
        n, t, _ = x.shape
        h = x.new_zeros(n, 9)
        c = x.new_zeros(n, 9)
        ys = []
        for s in range(t):
            z = torch.cat([x[:, s], h], 1) @ W.t() + B
            sig = torch.sigmoid(z[:, :27])
            cand = torch.tanh(z[:, 27:])
            c = sig[:, 9:18] * c + sig[:, :9] * cand
            h = sig[:, 18:27] * torch.tanh(c)
            ys.append(h)
        return torch.stack(ys, 1)

    return actual, expected, (x,)


@pair(
    "gru_reset_before",
    "recurrent",
    "The reset gate multiplies the hidden state before the recurrent matrix (original GRU) where "
    "PyTorch multiplies the matrix product plus its bias.",
    words=("reset", "before", "after", "hidden", "recurrent", "matmul", "r *", "candidate", "order", "product"),
)
def _(seed):
    g = _gen(seed, 22)
    gru = _fill(nn.GRU(6, 10), g, 0.5)
    x = _rn(g, 9, 2, 6)

    def expected(x):
        out, _ = gru(x)
        return out

    wr, wz, wn = gru.weight_ih_l0.chunk(3)
    ur, uz, un = gru.weight_hh_l0.chunk(3)
    br, bz, bn = gru.bias_ih_l0.chunk(3)
    cr, cz, cn = gru.bias_hh_l0.chunk(3)

    def actual(x):
        h = torch.zeros(x.shape[1], 10, dtype=x.dtype)
        hist = torch.empty(x.shape[0], x.shape[1], 10, dtype=x.dtype)
        for i, frame in enumerate(x.unbind(0)):
            reset = torch.sigmoid(F.linear(frame, wr, br) + F.linear(h, ur, cr))
            update = torch.sigmoid(F.linear(frame, wz, bz) + F.linear(h, uz, cz))
            new = torch.tanh(F.linear(frame, wn, bn) + F.linear(reset * h, un, cn))
            h = torch.lerp(new, h, update)
            hist[i] = h
        return hist

    return actual, expected, (x,)


@pair(
    "linear_attention_exclusive",
    "recurrent",
    "The causal linear attention reads its state before the current key and value are added, so each token does not see itself.",
    words=("before", "current", "exclusive", "inclusive", "state", "itself", "order", "update", "cumsum", "shift", "diagonal", "delay"),
)
def _(seed):
    g = _gen(seed, 23)
    q, k, v = (_rn(g, 2, 3, 12, 6) for _ in range(3))

    def expected(q, k, v):
        q = F.elu(q) + 1
        k = F.elu(k) + 1
        kv = torch.einsum("bhtd,bhte->bhtde", k, v).cumsum(2)
        z = 1 / (torch.einsum("bhtd,bhtd->bht", q, k.cumsum(2)) + 1e-3)
        return torch.einsum("bhtd,bhtde,bht->bhte", q, kv, z)

    def actual(q, k, v):
        fq = torch.where(q > 0, q + 1, q.exp())
        fk = torch.where(k > 0, k + 1, k.exp())
        B, H, T, D = q.shape
        mem = q.new_zeros(B, H, D, v.shape[-1])
        tot = q.new_zeros(B, H, D)
        out = torch.zeros_like(v)
        for t in range(T):
            num = (fq[:, :, t].unsqueeze(-1) * mem).sum(2)
            den = (fq[:, :, t] * tot).sum(-1, keepdim=True) + 1e-3
            out[:, :, t] = num / den
            mem = mem + fk[:, :, t].unsqueeze(-1) * v[:, :, t].unsqueeze(-2)
            tot = tot + fk[:, :, t]
        return out

    return actual, expected, (q, k, v)


@pair(
    "ssm_input_step_missing",
    "recurrent",
    "The discretised input matrix of the selective scan is B where it should be delta * B: the step size is left out there.",
    words=("delta", "dt", "step size", "left out", "missing", "discret", "input matrix", "mul", "softplus"),
)
def _(seed):
    g = _gen(seed, 24)
    u = _rn(g, 2, 10, 5)
    delta = _rn(g, 2, 10, 5)
    A_log = torch.log(1 + _ru(g, 5, 4) * 3)
    B = _rn(g, 2, 10, 4)
    C = _rn(g, 2, 10, 4)

    def expected(u, delta, A_log, B, C):
        A = -torch.exp(A_log)
        delta = F.softplus(delta)
        deltaA = torch.exp(torch.einsum("bld,dn->bldn", delta, A))
        deltaB_u = torch.einsum("bld,bln,bld->bldn", delta, B, u)
        x = torch.zeros_like(deltaA[:, 0])
        ys = []
        for i in range(u.shape[1]):
            x = deltaA[:, i] * x + deltaB_u[:, i]
            ys.append(torch.einsum("bdn,bn->bd", x, C[:, i]))
        return torch.stack(ys, 1)

    def actual(u, delta, A_log, B, C):
        dt = torch.log1p(delta.exp())
        logdecay = -dt.unsqueeze(-1) * A_log.exp()
        csum = logdecay.cumsum(1)
        drive = u.unsqueeze(-1) * B.unsqueeze(2)
        rows = []
        for t in range(u.size(1)):
            w = torch.exp(csum[:, t : t + 1] - csum[:, : t + 1])
            state = (w * drive[:, : t + 1]).sum(1)
            rows.append((state * C[:, t].unsqueeze(1)).sum(-1))
        return torch.stack(rows, dim=1)

    return actual, expected, (u, delta, A_log, B, C)


@pair(
    "ssm_skip_delayed",
    "recurrent",
    "The skip term D * u of the state-space layer uses the previous step's input, one step late.",
    kind="unusual",
    words=("previous", "delay", "shift", "skip", "roll", "late", "lag", "one step", "pad", "d *"),
)
def _(seed):
    g = _gen(seed, 25)
    u = _rn(g, 3, 15, 6)
    a = 0.5 + 0.45 * _ru(g, 6)
    b, c, D = _rn(g, 6), _rn(g, 6), _rn(g, 6)

    class DiagonalSSM(nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("a", a)
            self.register_buffer("b", b)
            self.register_buffer("c", c)
            self.register_buffer("D", D)

        def forward(self, u):
            h = torch.zeros_like(u[:, 0])
            ys = []
            for t in range(u.shape[1]):
                h = self.a * h + self.b * u[:, t]
                ys.append(self.c * h + self.D * u[:, t])
            return torch.stack(ys, 1)

    def actual(u):
        t = u.shape[1]
        lag = torch.arange(t)[:, None] - torch.arange(t)[None, :]
        kernel = torch.where((lag >= 0)[..., None], a ** lag.clamp(min=0)[..., None], torch.zeros((), dtype=a.dtype))
        y = torch.einsum("tsd,bsd->btd", kernel, u) * (b * c)
        y[:, 1:] += D * u[:, :-1]
        return y

    return actual, DiagonalSSM(), (u,)


@pair(
    "rnn_last_input_wraps",
    "recurrent",
    "The input index is taken modulo T - 1, so the last step reads the first step's input again.",
    kind="unusual",
    words=("modulo", "remainder", "%", "wrap", "last", "final", "first step", "index", "t - 1", "input"),
)
def _(seed):
    g = _gen(seed, 26)
    rnn = _fill(nn.RNN(5, 8, nonlinearity="tanh", batch_first=True), g, 0.4)
    x = _rn(g, 4, 10, 5)

    def expected(x):
        return rnn(x)[1][0]

    def actual(x):
        pre = x @ rnn.weight_ih_l0.T + (rnn.bias_ih_l0 + rnn.bias_hh_l0)
        T = pre.size(1)
        h = torch.tanh(pre[:, 0])
        for t in range(1, T):
            h = torch.addmm(pre[:, t % (T - 1)], h, rnn.weight_hh_l0.t()).tanh_()
        return h

    return actual, expected, (x,)


# --------------------------------------------------------------------------
# optimisers and schedules
# --------------------------------------------------------------------------


@pair(
    "adamw_coupled_decay",
    "optimizer",
    "Weight decay is added to the gradient (L2, as in Adam) where AdamW shrinks the weights directly.",
    words=("decay", "decoupled", "coupled", "l2", "adamw", "gradient", "0.1", "shrink", "lr *"),
)
def _(seed):
    g = _gen(seed, 31)
    w = _rn(g, 12, 8)
    grads = _rn(g, 6, 12, 8) * 0.5

    def expected(w, grads):
        p = nn.Parameter(w.clone())
        opt = torch.optim.AdamW([p], lr=0.02, weight_decay=0.1)
        for gr in grads:
            p.grad = gr.clone()
            opt.step()
        return p.detach()

    def actual(w, grads):
        b1, b2, lr, wd = 0.9, 0.999, 0.02, 0.1
        m, s = torch.zeros_like(w), torch.zeros_like(w)
        for t in range(1, grads.shape[0] + 1):
            d = grads[t - 1] + wd * w
            m = b1 * m + (1 - b1) * d
            s = b2 * s + (1 - b2) * d * d
            mh, sh = m / (1 - b1**t), s / (1 - b2**t)
            w = w - lr * mh / (sh.sqrt() + 1e-8)
        return w

    return actual, expected, (w, grads)


@pair(
    "warmup_counter_from_one",
    "schedule",
    "The warm-up and cosine schedule counts steps from 1, so every step uses the next step's learning rate.",
    words=("step", "off by one", "off-by-one", "warm", "schedule", "learning rate", "lr", "counter", "+ 1", "start"),
)
def _(seed):
    g = _gen(seed, 32)
    w = _rn(g, 20)
    grads = _rn(g, 12, 20)

    def expected(w, grads, warmup=4):
        total = grads.shape[0]

        def lr_lambda(step):
            if step < warmup:
                return float(step) / float(max(1, warmup))
            progress = (step - warmup) / max(1, total - warmup)
            return max(0.0, 0.5 * (1.0 + math.cos(math.pi * progress)))

        p = nn.Parameter(w.clone())
        opt = torch.optim.SGD([p], lr=0.1)
        sched = torch.optim.lr_scheduler.LambdaLR(opt, lr_lambda)
        for gr in grads:
            p.grad = gr.clone()
            opt.step()
            sched.step()
        return p.detach()

    def actual(w, grads):
        n, warm, peak = grads.size(0), 4, 0.1
        s = torch.arange(1, n + 1, dtype=w.dtype)
        up = s / warm
        down = (1 + torch.cos((s - warm) / (n - warm) * math.pi)) / 2
        rate = peak * torch.where(s < warm, up, down)
        return w - (rate[:, None] * grads).sum(0)

    return actual, expected, (w, grads)


@pair(
    "rmsprop_cross_square",
    "optimizer",
    "The running square of RMSprop averages |gradient * previous gradient| where it should average the gradient's own square.",
    kind="unusual",
    scalar=True,
    words=("previous", "square", "product", "last gradient", "abs", "earlier", "second moment", "v ", "average"),
)
def _(seed):
    g = _gen(seed, 33)
    w = _rn(g, 15)
    target = _rn(g, 15)
    scale = 0.5 + _ru(g, 15)

    def expected(w, target, scale):
        p = nn.Parameter(w.clone())
        opt = torch.optim.RMSprop([p], lr=0.05, alpha=0.9, eps=1e-8)
        for _ in range(8):
            p.grad = scale * (p.detach() - target)
            opt.step()
        return 0.5 * (scale * (p.detach() - target) ** 2).sum()

    def actual(w, target, scale):
        x = w.clone()
        avg = torch.zeros_like(x)
        before = None
        for _ in range(8):
            slope = (x - target).mul(scale)
            other = slope if before is None else before
            avg.mul_(0.9).add_((slope * other).abs(), alpha=0.1)
            x.sub_(0.05 * slope / (avg.sqrt() + 1e-8))
            before = slope
        r = x - target
        return torch.dot(r * r, scale) / 2

    return actual, expected, (w, target, scale)


# --------------------------------------------------------------------------
# losses
# --------------------------------------------------------------------------


@pair(
    "focal_alpha_swapped",
    "loss",
    "The focal loss weights positives by 1 - alpha and negatives by alpha, the wrong way round.",
    scalar=True,
    words=("alpha", "0.25", "0.75", "swap", "positive", "negative", "class weight", "1 - alpha"),
)
def _(seed):
    g = _gen(seed, 41)
    logits = _rn(g, 40, 5)
    targets = (_ru(g, 40, 5) < 0.3).to(logits.dtype)

    def expected(inputs, targets, alpha=0.25, gamma=2.0):
        p = torch.sigmoid(inputs)
        ce = F.binary_cross_entropy_with_logits(inputs, targets, reduction="none")
        p_t = p * targets + (1 - p) * (1 - targets)
        loss = ce * ((1 - p_t) ** gamma)
        alpha_t = alpha * targets + (1 - alpha) * (1 - targets)
        return (alpha_t * loss).mean()

    def actual(z, y):
        signed = z * (2 * y - 1)
        logp = F.logsigmoid(signed)
        focus = torch.sigmoid(-signed).square()
        balance = torch.where(y > 0.5, 0.75, 0.25).to(z.dtype)
        return -(balance * focus * logp).sum() / z.numel()

    return actual, expected, (logits, targets)


@pair(
    "smoothing_over_others",
    "loss",
    "Label smoothing spreads eps over the K - 1 other classes where PyTorch spreads it over all K.",
    scalar=True,
    words=("smooth", "k - 1", "classes", "uniform", "num_classes", "c - 1", "other classes", "0.2", "divis", "spread"),
)
def _(seed):
    g = _gen(seed, 42)
    logits = _rn(g, 24, 6)
    target = torch.randint(0, 6, (24,), generator=g)
    logits = logits + 3 * F.one_hot(target, 6)
    criterion = nn.CrossEntropyLoss(label_smoothing=0.2)

    def actual(logits, target):
        lse = torch.logsumexp(logits, 1, keepdim=True)
        nll = lse - logits
        soft = torch.full_like(logits, 0.2 / (logits.size(1) - 1))
        soft.scatter_(1, target[:, None], 0.8)
        return (soft * nll).sum() / logits.size(0)

    return actual, criterion, (logits, target)


@pair(
    "clip_scale_not_exponentiated",
    "loss",
    "The CLIP loss multiplies by logit_scale itself where the reference multiplies by exp(logit_scale).",
    scalar=True,
    words=("exp", "logit_scale", "logit scale", "temperature", "left out", "missing", "scale"),
)
def _(seed):
    g = _gen(seed, 43)
    img = _rn(g, 10, 16)
    txt = img * 0.6 + _rn(g, 10, 16)
    logit_scale = torch.tensor(math.log(1 / 0.07)) + 0.1 * _rn(g, 1)[0]

    def expected(img, txt, logit_scale):
        img = F.normalize(img, dim=-1)
        txt = F.normalize(txt, dim=-1)
        logits = logit_scale.exp() * img @ txt.t()
        labels = torch.arange(logits.shape[0])
        return (F.cross_entropy(logits, labels) + F.cross_entropy(logits.t(), labels)) / 2

    def actual(a, b, s):
        na = a.norm(dim=1)
        nb = b.norm(dim=1)
        sim = s * (a @ b.T) / torch.outer(na, nb)
        rows = sim.logsumexp(1).mean()
        cols = sim.logsumexp(0).mean()
        return 0.5 * (rows + cols) - sim.diagonal().mean()

    return actual, expected, (img, txt, logit_scale)


@pair(
    "ignored_tokens_counted",
    "loss",
    "The token loss is divided by all tokens where the reference divides by those not ignored.",
    scalar=True,
    words=("ignore", "-100", "count", "valid", "denominator", "mean", "numel", "divis", "number of tokens", "all tokens", "padding"),
)
def _(seed):
    g = _gen(seed, 44)
    logits = _rn(g, 3, 12, 20)
    labels = torch.randint(0, 20, (3, 12), generator=g)
    labels[torch.rand(3, 12, generator=g) < 0.3] = -100

    def expected(logits, labels):
        shift_logits = logits[:, :-1].contiguous()
        shift_labels = labels[:, 1:].contiguous()
        return F.cross_entropy(shift_logits.view(-1, 20), shift_labels.view(-1), ignore_index=-100)

    def actual(logits, labels):
        lp = torch.log_softmax(logits[:, :-1], -1)
        y = labels[:, 1:]
        keep = y != -100
        picked = lp.gather(2, y.clamp(min=0)[..., None])[..., 0]
        return -(picked * keep).mean()

    return actual, expected, (logits, labels)


@pair(
    "huber_lopsided",
    "loss",
    "Residuals below zero count 1.15 times as much in the smooth L1 loss.",
    kind="unusual",
    scalar=True,
    words=("asym", "negative", "sign", "1.15", "below zero", "weight", "where", "lopsided"),
)
def _(seed):
    g = _gen(seed, 45)
    pred = _rn(g, 50, 4)
    truth = _rn(g, 50, 4)

    def expected(pred, truth):
        return F.smooth_l1_loss(pred, truth, beta=0.5)

    def actual(pred, truth):
        r = pred - truth
        m = r.abs().clamp(max=0.5)
        per = m * (r.abs() - 0.5 * m) / 0.5
        per = per * (1 + 0.15 * (r < 0).to(r.dtype))
        return per.sum() / r.numel()

    return actual, expected, (pred, truth)


# --------------------------------------------------------------------------
# vision
# --------------------------------------------------------------------------


@pair(
    "resize_corner_grid",
    "vision",
    "The bilinear resize samples on a grid with aligned corners where the reference uses half-pixel centres (align_corners=False).",
    words=("align", "corner", "half-pixel", "half pixel", "0.5", "grid", "coordinate", "sampling", "centre", "center"),
)
def _(seed):
    g = _gen(seed, 51)
    img = _ru(g, 2, 3, 11, 14)

    def expected(img):
        return F.interpolate(img, size=(17, 23), mode="bilinear", align_corners=False)

    def lerp_axis(x, n, axis):
        src = torch.linspace(0, x.shape[axis] - 1, n, dtype=x.dtype)
        i0 = src.floor().long().clamp(max=x.shape[axis] - 1)
        i1 = (i0 + 1).clamp(max=x.shape[axis] - 1)
        frac = src - i0
        shape = [1] * x.dim()
        shape[axis] = n
        frac = frac.view(shape)
        return x.index_select(axis, i0) * (1 - frac) + x.index_select(axis, i1) * frac

    def actual(img):
        return lerp_axis(lerp_axis(img, 17, 2), 23, 3)

    return actual, expected, (img,)


@pair(
    "box_size_weight_dropped",
    "vision",
    "Decoding boxes does not divide the size deltas dw, dh by their weight 5.",
    words=("weight", "divi", " 5", "5.0", "dw", "dh", "size", "width", "exp", "left out", "variance"),
)
def _(seed):
    g = _gen(seed, 52)
    xy = _ru(g, 60, 2) * 100
    anchors = torch.cat([xy, xy + 10 + 40 * _ru(g, 60, 2)], 1)
    deltas = _rn(g, 60, 4) * 0.8

    def expected(deltas, boxes, weights=(10.0, 10.0, 5.0, 5.0)):
        widths = boxes[:, 2] - boxes[:, 0]
        heights = boxes[:, 3] - boxes[:, 1]
        ctr_x = boxes[:, 0] + 0.5 * widths
        ctr_y = boxes[:, 1] + 0.5 * heights
        wx, wy, ww, wh = weights
        dx, dy = deltas[:, 0] / wx, deltas[:, 1] / wy
        dw = torch.clamp(deltas[:, 2] / ww, max=math.log(1000.0 / 16))
        dh = torch.clamp(deltas[:, 3] / wh, max=math.log(1000.0 / 16))
        pcx, pcy = dx * widths + ctr_x, dy * heights + ctr_y
        pw, ph = torch.exp(dw) * widths, torch.exp(dh) * heights
        return torch.stack((pcx - 0.5 * pw, pcy - 0.5 * ph, pcx + 0.5 * pw, pcy + 0.5 * ph), 1)

    def actual(t, anchor):
        lo, hi = anchor.split(2, 1)
        size = hi - lo
        mid = (lo + hi) / 2 + 0.1 * t[:, :2] * size
        half = size * t[:, 2:].clamp(max=math.log(62.5)).exp() / 2
        return torch.cat((mid - half, mid + half), 1)

    return actual, expected, (deltas, anchors)


@pair(
    "iou_inclusive_pixels",
    "vision",
    "The widths and heights in the IoU have one added (inclusive pixel coordinates), which the reference does not do.",
    scalar=True,
    words=("+ 1", "plus one", "add", "one added", "inclusive", "pixel", "width", "extra 1", "area"),
)
def _(seed):
    g = _gen(seed, 53)
    a0 = _ru(g, 30, 2) * 20
    a = torch.cat([a0, a0 + 5 + 15 * _ru(g, 30, 2)], 1)
    b = a + 3 * _rn(g, 30, 4) * 0.5

    def expected(a, b):
        area_a = (a[:, 2] - a[:, 0]) * (a[:, 3] - a[:, 1])
        area_b = (b[:, 2] - b[:, 0]) * (b[:, 3] - b[:, 1])
        lt = torch.max(a[:, :2], b[:, :2])
        rb = torch.min(a[:, 2:], b[:, 2:])
        wh = (rb - lt).clamp(min=0)
        inter = wh[:, 0] * wh[:, 1]
        return (1 - inter / (area_a + area_b - inter)).mean()

    def actual(p, q):
        def extent(lo, hi):
            return (hi - lo + 1).clamp_min(0).prod(-1)

        both = extent(torch.maximum(p, q)[:, :2], torch.minimum(p, q)[:, 2:])
        union = extent(p[:, :2], p[:, 2:]) + extent(q[:, :2], q[:, 2:]) - both
        return 1 - (both / union).mean()

    return actual, expected, (a, b)


@pair(
    "green_blurred_twice",
    "vision",
    "The unsharp mask blurs the green channel (channel 1) a second time.",
    kind="unusual",
    words=("green", "channel 1", "twice", "second time", "second blur", "blur", "again", "one channel", "conv"),
)
def _(seed):
    g = _gen(seed, 54)
    img = _ru(g, 2, 3, 16, 18)

    def expected(img, amount=1.5):
        k1 = torch.tensor([1.0, 4.0, 6.0, 4.0, 1.0], dtype=img.dtype) / 16
        kernel = torch.outer(k1, k1).expand(3, 1, 5, 5)
        blurred = F.conv2d(F.pad(img, (2, 2, 2, 2), mode="reflect"), kernel, groups=3)
        return img + amount * (img - blurred)

    taps = (1 / 16, 4 / 16, 6 / 16, 4 / 16, 1 / 16)

    def soften(p):
        h, w = p.shape[-2:]
        p = F.pad(p[:, None], (2, 2, 2, 2), mode="reflect")[:, 0]
        p = sum(c * p[:, i : i + h] for i, c in enumerate(taps))
        return sum(c * p[:, :, j : j + w] for j, c in enumerate(taps))

    def actual(img):
        planes = []
        for c in range(3):
            low = soften(img[:, c])
            if c == 1:
                low = soften(low)
            planes.append(2.5 * img[:, c] - 1.5 * low)
        return torch.stack(planes, 1)

    return actual, expected, (img,)


# --------------------------------------------------------------------------
# audio
# --------------------------------------------------------------------------


@pair(
    "stft_symmetric_window",
    "audio",
    "The Hann window is the symmetric one (divides by N - 1) where torch.hann_window is periodic.",
    words=("hann", "window", "periodic", "symmetric", "n - 1", "n-1", "n_fft - 1", "31", "cos"),
)
def _(seed):
    g = _gen(seed, 61)
    wav = _rn(g, 2, 400)

    def expected(wav):
        spec = torch.stft(
            wav, n_fft=32, hop_length=8, window=torch.hann_window(32, dtype=wav.dtype), center=True, pad_mode="reflect", return_complex=True
        )
        return spec.abs()

    def actual(wav):
        n = 32
        win = 0.5 - 0.5 * torch.cos(2 * math.pi * torch.arange(n, dtype=wav.dtype) / (n - 1))
        padded = F.pad(wav.unsqueeze(1), (n // 2, n // 2), mode="reflect").squeeze(1)
        frames = padded.unfold(-1, n, 8) * win
        s = torch.fft.rfft(frames, dim=-1)
        return torch.hypot(s.real, s.imag).transpose(1, 2)

    return actual, expected, (wav,)


@pair(
    "mel_area_norm_missing",
    "audio",
    "The mel filters are not scaled to unit area (Slaney normalisation, 2 / (f[m+2] - f[m])).",
    words=("area", "slaney", "norm", "2 /", "2.0", "bandwidth", "left out", "missing", "filter", "scal"),
)
def _(seed):
    g = _gen(seed, 62)
    power = _rn(g, 2, 65, 12).square()

    def mel_edges(n_mels, sr, dtype):
        top = 2595.0 * math.log10(1 + sr / 2 / 700.0)
        mels = torch.linspace(0, top, n_mels + 2, dtype=dtype)
        return 700.0 * (10 ** (mels / 2595.0) - 1)

    def expected(power, n_mels=10, sr=800):
        fft_freqs = torch.linspace(0, sr / 2, power.shape[1], dtype=power.dtype)
        mel_f = mel_edges(n_mels, sr, power.dtype)
        fdiff = mel_f[1:] - mel_f[:-1]
        ramps = mel_f[:, None] - fft_freqs[None, :]
        lower = -ramps[:-2] / fdiff[:-1, None]
        upper = ramps[2:] / fdiff[1:, None]
        weights = torch.clamp(torch.minimum(lower, upper), min=0)
        enorm = 2.0 / (mel_f[2:] - mel_f[:-2])
        weights = weights * enorm[:, None]
        return torch.log(torch.matmul(weights, power) + 1e-5)

    def actual(power):
        nb = 10
        hz = mel_edges(nb, 800, power.dtype)
        grid = torch.arange(power.size(1), dtype=power.dtype) * (400 / (power.size(1) - 1))
        bank = power.new_zeros(nb, power.size(1))
        for m in range(nb):
            l, c, r = hz[m], hz[m + 1], hz[m + 2]
            rise = (grid - l) / (c - l)
            fall = (r - grid) / (r - c)
            bank[m] = torch.where(grid <= c, rise, fall).clamp_min(0)
        return (torch.einsum("mf,bft->bmt", bank, power) + 1e-5).log()

    return actual, expected, (power,)


@pair(
    "decibel_factor_twenty",
    "audio",
    "The level of a power spectrum is taken as 20 * log10 where power needs 10 * log10.",
    scalar=True,
    words=("20", "10 *", "factor", "log10", "amplitude", "doubl", "twice", "decibel", "times 2"),
)
def _(seed):
    g = _gen(seed, 63)
    wav = _rn(g, 3, 512) * 0.2
    taper = torch.hamming_window(64)

    def expected(wav):
        spec = torch.stft(wav, 64, 32, window=taper.to(wav.dtype), center=False, return_complex=True)
        power = spec.real**2 + spec.imag**2
        db = 10.0 * torch.log10(torch.clamp(power, min=1e-10))
        return db.mean()

    def actual(wav):
        chunks = wav.unfold(1, 64, 32).mul(taper.to(wav.dtype))
        power = torch.view_as_real(torch.fft.rfft(chunks)).square().sum(-1)
        return 20 / math.log(10) * power.clamp_min(1e-10).log().mean()

    return actual, expected, (wav,)


@pair(
    "mulaw_channels_as_mu",
    "audio",
    "Mu-law decoding uses mu = 256 (the number of codes) where mu is 255.",
    words=("255", "256", "mu", "channels", "quantization", "- 1", "off by one", "off-by-one"),
)
def _(seed):
    g = _gen(seed, 64)
    codes = torch.floor(_ru(g, 4, 300) * 256)

    def expected(x_mu, quantization_channels=256):
        mu = quantization_channels - 1.0
        x = (x_mu / mu) * 2 - 1.0
        return torch.sign(x) * (torch.exp(torch.abs(x) * math.log1p(mu)) - 1.0) / mu

    def actual(codes):
        mu = 256.0
        y = codes.mul(2 / mu).sub(1)
        return torch.copysign(torch.expm1(y.abs() * math.log(1 + mu)).div(mu), y)

    return actual, expected, (codes,)


@pair(
    "overlap_add_alternating",
    "audio",
    "Every second frame enters the overlap-add with its sign flipped.",
    kind="unusual",
    words=("sign", "negat", "neg", "-1", "every second", "every other", "odd", "alternat", "flip"),
)
def _(seed):
    g = _gen(seed, 65)
    frames = _rn(g, 2, 11, 32)
    win = torch.hann_window(32)

    def expected(frames, win):
        b, n, size = frames.shape
        cols = (frames * win).transpose(1, 2)
        length = (n - 1) * 16 + size
        return F.fold(cols, (1, length), (1, size), stride=(1, 16)).view(b, length)

    def actual(frames, win):
        count = frames.shape[1]
        y = frames.new_zeros(frames.shape[0], 16 * (count + 1))
        for i in range(count):
            seg = frames[:, i] * win
            if i % 2:
                seg = -seg
            y[:, 16 * i : 16 * i + 32] += seg
        return y

    return actual, expected, (frames, win)


# --------------------------------------------------------------------------
# embedding, routing, quantisation
# --------------------------------------------------------------------------


@pair(
    "timestep_frequency_shift",
    "embedding",
    "The timestep frequencies divide the exponent by half - 1 where the reference divides by half.",
    words=("half - 1", "half_dim - 1", "exponent", "frequenc", "downscale", "shift", "off by one", "off-by-one", "divi", "7"),
)
def _(seed):
    g = _gen(seed, 71)
    t = torch.floor(_ru(g, 10) * 60)
    w1, w2 = _rn(g, 24, 16) / 4, _rn(g, 8, 24) / 5

    def expected(timesteps, w1, w2):
        half_dim = 8
        exponent = -math.log(10000) * torch.arange(half_dim, dtype=timesteps.dtype)
        exponent = exponent / half_dim
        emb = timesteps[:, None] * torch.exp(exponent)[None, :]
        emb = torch.cat([torch.cos(emb), torch.sin(emb)], dim=-1)
        return F.linear(F.silu(F.linear(emb, w1)), w2)

    def actual(t, w1, w2):
        n = 8
        freq = torch.tensor([10000.0 ** (-i / (n - 1)) for i in range(n)], dtype=t.dtype)
        phase = torch.outer(t, freq)
        hidden = phase.cos() @ w1[:, :n].T + phase.sin() @ w1[:, n:].T
        return (hidden * torch.sigmoid(hidden)) @ w2.T

    return actual, expected, (t, w1, w2)


@pair(
    "router_not_renormalised",
    "moe",
    "The top-2 routing probabilities are used as they are; the reference divides them by their sum.",
    words=("renormal", "normali", "sum", "top-2", "top-k", "topk", "routing weight", "div", "left out", "gate"),
)
def _(seed):
    g = _gen(seed, 72)
    x = _rn(g, 14, 12)
    router = _rn(g, 5, 12) / 3
    w_in = _rn(g, 5, 20, 12) / 3.5
    w_out = _rn(g, 5, 12, 20) / 4.5

    def expected(x, router, w_in, w_out):
        probs = F.softmax(F.linear(x, router), dim=-1)
        weights, chosen = torch.topk(probs, 2, dim=-1)
        weights = weights / weights.sum(-1, keepdim=True)
        out = torch.zeros_like(x)
        mask = F.one_hot(chosen, 5).permute(2, 1, 0)
        for e in range(5):
            slot, tok = torch.where(mask[e])
            h = F.linear(F.silu(F.linear(x[tok], w_in[e])), w_out[e])
            out.index_add_(0, tok, h * weights[tok, slot, None])
        return out

    def actual(x, router, w_in, w_out):
        p = torch.softmax(x @ router.T, 1)
        cut = p.sort(dim=1, descending=True).values[:, 1:2]
        dense = torch.where(p >= cut, p, torch.zeros_like(p))
        h = torch.einsum("nd,ehd->neh", x, w_in)
        h = h * h.sigmoid()
        y = torch.einsum("neh,edh->ned", h, w_out)
        return torch.einsum("ned,ne->nd", y, dense)

    return actual, expected, (x, router, w_in, w_out)


@pair(
    "second_expert_shifted",
    "moe",
    "The second-choice expert's index is moved on by one (modulo the number of experts).",
    kind="unusual",
    words=("second", "index", "shift", "next expert", "wrong expert", "roll", "modulo", "remainder", "+ 1", "off by one"),
)
def _(seed):
    g = _gen(seed, 73)
    x = _rn(g, 12, 10)
    router = _rn(g, 4, 10) / 2
    experts = nn.ModuleList([_fill(nn.Linear(10, 10), g, 0.3) for _ in range(4)])

    class SparseMoE(nn.Module):
        def __init__(self):
            super().__init__()
            self.experts = experts

        def forward(self, x):
            val, idx = (x @ router.t()).topk(2, dim=-1)
            gate = val.softmax(-1)
            out = torch.zeros_like(x)
            for e, expert in enumerate(self.experts):
                hit = idx == e
                coef = (gate * hit).sum(-1, keepdim=True)
                out = out + coef * expert(x)
            return out

    W = torch.stack([e.weight for e in experts])
    b = torch.stack([e.bias for e in experts])

    def actual(x):
        s = x.matmul(router.t())
        order = s.argsort(dim=-1, descending=True)
        first = order[:, 0]
        second = (order[:, 1] + 1) % 4
        top = s.gather(1, order[:, :2])
        lead = torch.sigmoid(top[:, 0] - top[:, 1]).unsqueeze(1)
        y1 = torch.bmm(W[first], x.unsqueeze(2)).squeeze(2) + b[first]
        y2 = torch.bmm(W[second], x.unsqueeze(2)).squeeze(2) + b[second]
        return lead * y1 + (1 - lead) * y2

    return actual, SparseMoE(), (x,)


@pair(
    "one_scale_for_tensor",
    "quantization",
    "The fake quantisation takes one scale for the whole weight where the reference takes one for each output channel.",
    scalar=True,
    words=("per channel", "per-channel", "per tensor", "per-tensor", "scale", "amax", "max", "whole", "row", "dim", "channel"),
)
def _(seed):
    g = _gen(seed, 74)
    w = _rn(g, 16, 24) * (0.2 + 3 * _ru(g, 16, 1))
    x = _rn(g, 10, 24)

    def expected(w, x, bits=5):
        qmax = 2 ** (bits - 1) - 1
        scale = w.abs().amax(dim=1, keepdim=True) / qmax
        wq = torch.clamp(torch.round(w / scale), -qmax - 1, qmax) * scale
        return F.mse_loss(F.linear(x, wq), F.linear(x, w))

    def actual(w, x):
        step = w.abs().max().div(15)
        code = w.div(step).round().clamp(min=-16, max=15)
        err = x @ (code * step - w).transpose(0, 1)
        return err.square().mean()

    return actual, expected, (w, x)


# --------------------------------------------------------------------------
# diffusion
# --------------------------------------------------------------------------


@pair(
    "ddim_previous_step",
    "diffusion",
    "The DDIM step takes the previous alpha from t - 1 where it should be t minus the stride between inference steps.",
    words=("t - 1", "stride", "previous", "prev", "alpha", "timestep", "index", "step size", "skip", "cumprod"),
)
def _(seed):
    g = _gen(seed, 81)
    x = _rn(g, 2, 3, 6, 6)
    w = _rn(g, 3, 3) * 0.5

    def expected(x, w):
        betas = torch.linspace(1e-4, 0.02, 100, dtype=x.dtype) * 3
        ac = torch.cumprod(1 - betas, 0)
        ratio = 100 // 10
        sample = x
        for t in reversed(range(0, 100, ratio)):
            prev_t = t - ratio
            a_t = ac[t]
            a_prev = ac[prev_t] if prev_t >= 0 else torch.ones_like(a_t)
            eps = torch.tanh(torch.einsum("oc,bchw->bohw", w, sample))
            x0 = (sample - (1 - a_t) ** 0.5 * eps) / a_t**0.5
            sample = a_prev**0.5 * x0 + (1 - a_prev) ** 0.5 * eps
        return sample

    def actual(x, w):
        beta = 3e-4 + (0.06 - 3e-4) / 99 * torch.arange(100, dtype=x.dtype)
        bar = (1 - beta).log().cumsum(0).exp()
        bar = torch.cat([bar.new_ones(1), bar])
        kernel = w[:, :, None, None]
        for t in range(90, -1, -10):
            now, then = bar[t + 1], bar[t]
            e = F.conv2d(x, kernel).tanh()
            ratio = (then / now).sqrt()
            x = ratio * x + ((1 - then).sqrt() - ratio * (1 - now).sqrt()) * e
        return x

    return actual, expected, (x, w)


@pair(
    "noise_target_of_neighbour",
    "diffusion",
    "Each sample's prediction is compared with the noise of the next sample in the batch.",
    kind="unusual",
    scalar=True,
    words=("roll", "shift", "neighbour", "neighbor", "next sample", "batch", "permut", "target", "misalign", "noise"),
)
def _(seed):
    g = _gen(seed, 82)
    x0 = _rn(g, 6, 12)
    noise = _rn(g, 6, 12)
    abar = 0.1 + 0.8 * _ru(g, 6)
    net = _fill(nn.Sequential(nn.Linear(12, 12), nn.Tanh(), nn.Linear(12, 12)), g, 0.3)

    def expected(x0, noise, abar):
        s = abar.view(-1, 1)
        x_t = s.sqrt() * x0 + (1 - s).sqrt() * noise
        snr = abar / (1 - abar)
        weight = torch.clamp(snr, max=5.0) / snr
        loss = F.mse_loss(net(x_t), noise, reduction="none").mean(1)
        return (loss * weight).mean()

    l1, l2 = net[0], net[2]

    def actual(x0, noise, abar):
        root, rest = abar.sqrt()[:, None], torch.sqrt(1 - abar)[:, None]
        z = torch.addcmul(root * x0, rest, noise)
        guess = torch.tanh(z @ l1.weight.T + l1.bias) @ l2.weight.T + l2.bias
        gap = guess - torch.cat((noise[1:], noise[:1]))
        weight = (5 * (1 - abar) / abar).clamp(max=1)
        return (weight[:, None] * gap * gap).sum() / gap.numel()

    return actual, expected, (x0, noise, abar)


# --------------------------------------------------------------------------
# graphs and pooling
# --------------------------------------------------------------------------


@pair(
    "gcn_degree_without_loop",
    "graph",
    "The degrees of the GCN normalisation are counted without the self-loops.",
    words=("degree", "self-loop", "self loop", "+ 1", "deg", "identity", "eye", "normali", "ones"),
)
def _(seed):
    g = _gen(seed, 91)
    n = 15
    ring = torch.arange(n)
    extra = torch.randint(0, n, (2, 25), generator=g)
    src = torch.cat([ring, extra[0]])
    dst = torch.cat([(ring + 1) % n, extra[1]])
    x = _rn(g, n, 6)
    w = _rn(g, 6, 5)

    def expected(x, w):
        loops = torch.arange(n)
        row, col = torch.cat([src, loops]), torch.cat([dst, loops])
        deg = torch.zeros(n, dtype=x.dtype).scatter_add_(0, col, torch.ones(col.numel(), dtype=x.dtype))
        dis = deg.pow(-0.5)
        norm = dis[row] * dis[col]
        h = x @ w
        return torch.zeros_like(h).index_add_(0, col, norm[:, None] * h[row])

    def actual(x, w):
        adj = torch.zeros(n, n, dtype=x.dtype)
        adj.index_put_((dst, src), torch.ones(src.numel(), dtype=x.dtype), accumulate=True)
        d = adj.sum(1).rsqrt()
        full = adj + torch.eye(n, dtype=x.dtype)
        return (d[:, None] * full * d[None, :]) @ x @ w

    return actual, expected, (x, w)


@pair(
    "upward_edges_halved",
    "graph",
    "Messages along edges whose source number is greater than the target's are halved.",
    kind="unusual",
    scalar=True,
    words=("half", "halv", "0.5", "source", "greater", "direction", "src > dst", "some edges", "edge", "weight"),
)
def _(seed):
    g = _gen(seed, 92)
    n = 12
    edges = torch.randint(0, n, (2, 40), generator=g)
    x = _rn(g, n, 5)
    w_msg, w_self = _rn(g, 8, 5) / 2, _rn(g, 8, 5) / 2
    readout = _rn(g, 8)

    def expected(x, w_msg, w_self, readout):
        msg = F.linear(x, w_msg)[edges[0]]
        agg = torch.zeros(n, 8, dtype=x.dtype).index_add(0, edges[1], msg)
        h = F.relu(agg + F.linear(x, w_self))
        return (h.sum(0) * readout).sum()

    def actual(x, w_msg, w_self, readout):
        count = torch.zeros(n, n, dtype=x.dtype)
        for s, d in edges.t().tolist():
            count[d, s] += 0.5 if s > d else 1.0
        h = (count @ x @ w_msg.T + x @ w_self.T).clamp(min=0)
        return (h @ readout).sum()

    return actual, expected, (x, w_msg, w_self, readout)


@pair(
    "avg_pool_counts_padding",
    "pooling",
    "The average pool divides every window by 9, padding included, where the reference counts real pixels only (count_include_pad=False).",
    words=("count_include_pad", "pad", "divi", "9", "border", "edge", "window size", "count", "mean"),
)
def _(seed):
    g = _gen(seed, 93)
    x = _rn(g, 2, 4, 9, 9) + 0.5
    pool = nn.AvgPool2d(3, stride=2, padding=1, count_include_pad=False)

    def actual(x):
        p = F.pad(x, (1, 1, 1, 1))
        win = p.unfold(2, 3, 2).unfold(3, 3, 2)
        return win.flatten(-2).mean(-1)

    return actual, pool, (x,)


@pair(
    "l2_pool_drops_last",
    "pooling",
    "The L2 pooling leaves the last element of each window out of its sum.",
    kind="unusual",
    scalar=True,
    words=("last", "window", "left out", "drop", "3 of", "missing", "slice", "narrow", "element", "sum"),
)
def _(seed):
    g = _gen(seed, 94)
    x = _rn(g, 3, 4, 40)

    def expected(x):
        pooled = F.lp_pool1d(x, norm_type=2, kernel_size=4, stride=4)
        return pooled.mean()

    def actual(x):
        sq = x.reshape(*x.shape[:-1], -1, 4).square()
        return sq[..., :3].sum(-1).sqrt().mean()

    return actual, expected, (x,)


# --------------------------------------------------------------------------
# two mistakes
# --------------------------------------------------------------------------


@pair(
    "attention_scale_and_value_bias",
    "attention",
    "The scores are divided by sqrt(model width) instead of sqrt(head width), and the value projection's bias is left out.",
    kind="double",
    words=(
        ("scale", "sqrt", "head_dim", "head dim", "d_model", "embed", "temperature", "score"),
        ("bias", "value proj", "v_proj", "left out: add", "value"),
    ),
)
def _(seed):
    g = _gen(seed, 101)
    mha = _fill(nn.MultiheadAttention(16, 4, batch_first=True), g, 0.5)
    x, mem = _rn(g, 2, 7, 16), _rn(g, 2, 9, 16)

    def expected(x, mem):
        return mha(x, mem, mem)[0]

    Wq, Wk, Wv = mha.in_proj_weight.chunk(3)
    bq, bk, bv = mha.in_proj_bias.chunk(3)

    def actual(x, mem):
        q = F.linear(x, Wq, bq).unflatten(-1, (4, 4))
        k = F.linear(mem, Wk, bk).unflatten(-1, (4, 4))
        v = F.linear(mem, Wv).unflatten(-1, (4, 4))
        a = torch.einsum("bqhd,bkhd->bhqk", q / math.sqrt(16), k).softmax(-1)
        o = torch.einsum("bhqk,bkhd->bqhd", a, v).flatten(-2)
        return F.linear(o, mha.out_proj.weight, mha.out_proj.bias)

    return actual, expected, (x, mem)


@pair(
    "swiglu_swapped_and_norm_weight",
    "mlp",
    "SwiGLU applies SiLU to the up projection instead of the gate, and the RMS norm multiplies by 1 + weight instead of weight.",
    kind="double",
    words=(
        ("swap", "gate", "up", "silu", "order", "half"),
        ("1 +", "+ 1", "plus one", "norm weight", "gain", "rms", "one added", "offset"),
    ),
)
def _(seed):
    g = _gen(seed, 102)
    x = _rn(g, 3, 8, 12)
    gain = 0.7 + 0.3 * _rn(g, 12)
    gate, up = _rn(g, 20, 12) / 3, _rn(g, 20, 12) / 3
    down = _rn(g, 12, 20) / 4

    def expected(x, gain, gate, up, down):
        h = F.rms_norm(x, (12,), gain, eps=1e-6)
        return x + F.linear(F.silu(F.linear(h, gate)) * F.linear(h, up), down)

    def actual(x, gain, gate, up, down):
        ms = (x * x).mean(-1, keepdim=True)
        h = x / (ms + 1e-6).sqrt() * (1 + gain)
        both = h @ torch.cat((gate, up)).T
        a, b = both[..., :20], both[..., 20:]
        return torch.baddbmm(x, a * b * b.sigmoid(), down.T.expand(3, -1, -1))

    return actual, expected, (x, gain, gate, up, down)


@pair(
    "image_scale_and_channel_means",
    "vision",
    "The pixels are divided by 256 instead of 255, and the channel means are taken in BGR order.",
    kind="double",
    words=(
        ("256", "255", "1/255", "0.0039", "pixel scale", "rescale"),
        ("mean", "order", "bgr", "rgb", "revers", "flip", "channel", "0.406", "0.485"),
    ),
)
def _(seed):
    g = _gen(seed, 103)
    img = torch.floor(_ru(g, 2, 14, 14, 3) * 256)

    def expected(img):
        x = img.permute(0, 3, 1, 2) / 255.0
        mean = torch.tensor([0.485, 0.456, 0.406], dtype=x.dtype).view(3, 1, 1)
        std = torch.tensor([0.229, 0.224, 0.225], dtype=x.dtype).view(3, 1, 1)
        x = (x - mean) / std
        return x[:, :, 1:13, 1:13]

    def actual(img):
        crop = img[:, 1:-1, 1:-1]
        planes = []
        for c, (m, s) in enumerate(((0.406, 0.229), (0.456, 0.224), (0.485, 0.225))):
            planes.append(crop[..., c] * (1 / (256 * s)) - m / s)
        return torch.stack(planes, dim=1)

    return actual, expected, (img,)


@pair(
    "adam_uncorrected_and_slower_decay",
    "optimizer",
    "The first moment's bias correction is missing, and the learning rate decays by 0.95 a step instead of 0.8.",
    kind="double",
    words=(
        ("bias correction", "bias_correction", "first moment", "beta1", "0.9 ", "1 - 0.9", "correct", "debias"),
        ("0.95", "0.8", "decay", "gamma", "learning rate", "lr", "schedule"),
    ),
)
def _(seed):
    g = _gen(seed, 104)
    w = _rn(g, 6, 7)
    grads = _rn(g, 6, 6, 7)

    def expected(w, grads):
        p = nn.Parameter(w.clone())
        opt = torch.optim.Adam([p], lr=0.1)
        sched = torch.optim.lr_scheduler.ExponentialLR(opt, gamma=0.8)
        for gr in grads:
            p.grad = gr.clone()
            opt.step()
            sched.step()
        return p.detach()

    def actual(w, grads):
        out = w.clone()
        m, v = torch.zeros_like(w), torch.zeros_like(w)
        rate = 0.1
        for i, d in enumerate(grads.unbind(0), start=1):
            m.lerp_(d, 0.1)
            v.mul_(0.999).addcmul_(d, d, value=0.001)
            root = (v / (1 - 0.999**i)).sqrt_().add_(1e-8)
            out.addcdiv_(m, root, value=-rate)
            rate *= 0.95
        return out

    return actual, expected, (w, grads)


@pair(
    "lstm_bias_and_cell_tanh",
    "recurrent",
    "The recurrent bias bias_hh is not added, and the hidden state is o * c without the tanh on the cell.",
    kind="double",
    words=(("bias", "bias_hh", "b_hh", "left out: add"), ("tanh", "cell", "squash", "activation", "o * c")),
)
def _(seed):
    g = _gen(seed, 105)
    cell = _fill(nn.LSTMCell(5, 7), g, 0.5)
    x = _rn(g, 8, 3, 5)

    def expected(x):
        h = c = torch.zeros(x.shape[1], 7, dtype=x.dtype)
        out = []
        for xt in x:
            h, c = cell(xt, (h, c))
            out.append(h)
        return torch.stack(out)

    def actual(x):
        proj = torch.einsum("tbi,gi->tbg", x, cell.weight_ih) + cell.bias_ih
        h = proj.new_zeros(x.size(1), 7)
        c = h.clone()
        ys = []
        for t in range(x.size(0)):
            gates = proj[t] + h @ cell.weight_hh.mT
            i, f, u, o = (gates[:, 7 * j : 7 * j + 7] for j in range(4))
            c = f.sigmoid() * c + i.sigmoid() * u.tanh()
            h = o.sigmoid() * c
            ys.append(h)
        return torch.stack(ys)

    return actual, expected, (x,)


@pair(
    "logmel_magnitude_and_zero_pad",
    "audio",
    "The mel bank is applied to the magnitude instead of the power, and the centre padding is zeros instead of reflection.",
    kind="double",
    words=(("magnitude", "power", "square", "abs", "sqrt", "** 2", "pow"), ("pad", "reflect", "zero", "constant", "border", "edge")),
)
def _(seed):
    g = _gen(seed, 106)
    wav = _rn(g, 2, 320)
    bank = _ru(g, 8, 33)
    win = torch.hann_window(64)

    def expected(wav, bank, win):
        s = torch.stft(wav, 64, 32, window=win, center=True, pad_mode="reflect", return_complex=True)
        return torch.log(bank @ s.abs().pow(2.0) + 1e-6)

    def actual(wav, bank, win):
        padded = torch.cat([wav.new_zeros(wav.shape[0], 32), wav, wav.new_zeros(wav.shape[0], 32)], 1)
        n = torch.arange(64, dtype=wav.dtype)
        ang = 2 * math.pi / 64 * torch.outer(torch.arange(33, dtype=wav.dtype), n)
        fr = padded.unfold(1, 64, 32) * win
        re, im = fr @ torch.cos(ang).T, fr @ torch.sin(ang).T
        mag = (re * re + im * im).sqrt()
        return (mag @ bank.T + 1e-6).log().mT

    return actual, expected, (wav, bank, win)


@pair(
    "guidance_and_posterior_variance",
    "diffusion",
    "Guidance is added to the conditional prediction instead of the unconditional one, and the noise is scaled "
    "by beta_t instead of the posterior variance.",
    kind="double",
    words=(
        ("guidance", "uncond", "cond", "cfg", "3.0", "4.0"),
        ("variance", "beta", "posterior", "sigma", "noise scale", "noise", "alpha"),
    ),
)
def _(seed):
    g = _gen(seed, 107)
    x, cond, uncond, z = (_rn(g, 3, 2, 5, 5) for _ in range(4))

    def expected(x, cond, uncond, z, t=4):
        betas = torch.linspace(0.02, 0.3, 10, dtype=x.dtype)
        alphas = 1 - betas
        ac = torch.cumprod(alphas, 0)
        eps = uncond + 3.0 * (cond - uncond)
        mean = (x - betas[t] / (1 - ac[t]).sqrt() * eps) / alphas[t].sqrt()
        var = betas[t] * (1 - ac[t - 1]) / (1 - ac[t])
        return mean + var.sqrt() * z

    def actual(x, cond, uncond, z):
        b = [0.02 + 0.28 * i / 9 for i in range(10)]
        bar = [1.0]
        for v in b:
            bar.append(bar[-1] * (1 - v))
        beta, now, before = b[4], bar[5], bar[4]
        eps = 4.0 * cond - 3.0 * uncond
        x0 = (x - math.sqrt(1 - now) * eps) / math.sqrt(now)
        mu = math.sqrt(before) * beta / (1 - now) * x0 + math.sqrt(1 - beta) * (1 - before) / (1 - now) * x
        return mu + math.sqrt(beta) * z

    return actual, expected, (x, cond, uncond, z)


@pair(
    "sage_sum_and_leaky",
    "graph",
    "Neighbours are summed instead of averaged, and the activation is leaky ReLU (0.2) instead of ReLU.",
    kind="double",
    words=(("sum", "mean", "average", "degree", "divi", "count", "deg"), ("leaky", "relu", "0.2", "activation", "slope", "negative")),
)
def _(seed):
    g = _gen(seed, 108)
    n = 14
    ring = torch.arange(n)
    more = torch.randint(0, n, (2, 30), generator=g)
    edge_index = torch.cat([torch.stack([ring, (ring + 3) % n]), more], 1)
    x = _rn(g, n, 6)
    lin_l = _fill(nn.Linear(6, 9), g, 0.4)
    lin_r = _fill(nn.Linear(6, 9, bias=False), g, 0.4)

    def expected(x):
        src, dst = edge_index
        agg = torch.zeros(n, 6, dtype=x.dtype).scatter_reduce(0, dst[:, None].expand(-1, 6), x[src], reduce="mean", include_self=False)
        return F.relu(lin_l(agg) + lin_r(x))

    def actual(x):
        adj = torch.zeros(n, n, dtype=x.dtype)
        adj.index_put_((edge_index[1], edge_index[0]), torch.ones((), dtype=x.dtype), accumulate=True)
        pooled = adj @ x
        h = torch.cat([pooled, x], 1) @ torch.cat([lin_l.weight, lin_r.weight], 1).T + lin_l.bias
        return torch.maximum(h, 0.2 * h)

    return actual, expected, (x,)


@pair(
    "distillation_temperature_and_mix",
    "loss",
    "The soft loss lacks the factor T squared, and the weights of the soft and hard losses are exchanged.",
    kind="double",
    scalar=True,
    words=(
        ("t**2", "t squared", "temperature", "t^2", "t * t", "factor", "9", "squar"),
        ("alpha", "weight", "0.7", "0.3", "swap", "exchang", "mix", "hard", "balance"),
    ),
)
def _(seed):
    g = _gen(seed, 109)
    student, teacher = _rn(g, 16, 7) * 2, _rn(g, 16, 7) * 2
    labels = torch.randint(0, 7, (16,), generator=g)

    def expected(student, teacher, labels, T=3.0, alpha=0.7):
        soft = F.kl_div(F.log_softmax(student / T, dim=1), F.softmax(teacher / T, dim=1), reduction="batchmean") * (T * T)
        hard = F.cross_entropy(student, labels)
        return alpha * soft + (1.0 - alpha) * hard

    def actual(student, teacher, labels):
        s, t = student / 3, teacher / 3
        lq = s - s.logsumexp(1, keepdim=True)
        lp = t - t.logsumexp(1, keepdim=True)
        kl = (lp.exp() * (lp - lq)).sum(1).mean()
        nll = student.logsumexp(1) - student[torch.arange(16), labels]
        return 0.3 * kl + 0.7 * nll.mean()

    return actual, expected, (student, teacher, labels)


@pair(
    "folded_norm_eps_and_bias",
    "vision",
    "Folding the batch norm into the convolution uses eps 1e-3 instead of 1e-5 and forgets the convolution's own bias.",
    kind="double",
    words=(("eps", "1e-3", "1e-5", "0.001", "1e-05", "epsilon"), ("bias", "conv bias", "left out: add", "offset", "convolution's")),
)
def _(seed):
    g = _gen(seed, 110)
    conv = _fill(nn.Conv2d(3, 6, 3, padding=1), g, 0.3)
    bn = _fill(nn.BatchNorm2d(6), g, 0.5)
    bn.running_mean.copy_(0.3 * _rn(g, 6))
    bn.running_var.copy_(0.005 + 0.05 * _ru(g, 6))
    net = nn.Sequential(conv, bn, nn.ReLU()).eval()
    x = _rn(g, 2, 3, 8, 8)

    def actual(x):
        k = bn.weight / torch.sqrt(bn.running_var + 1e-3)
        w = conv.weight * k.view(-1, 1, 1, 1)
        b = bn.bias - bn.running_mean * k
        cols = F.unfold(x, 3, padding=1)
        y = w.flatten(1) @ cols + b[:, None]
        return y.clamp_min(0).view(x.shape[0], 6, *x.shape[2:])

    return actual, net, (x,)


# --------------------------------------------------------------------------
# no mistake
# --------------------------------------------------------------------------


@pair(
    "online_softmax_attention",
    "attention",
    "Nothing is wrong: blockwise attention with a running maximum equals softmax attention.",
    kind="honest",
)
def _(seed):
    g = _gen(seed, 201)
    q, k, v = (_rn(g, 2, 3, 20, 8) for _ in range(3))

    def expected(q, k, v):
        return F.scaled_dot_product_attention(q, k, v)

    def actual(q, k, v):
        scale = q.shape[-1] ** -0.5
        top = q.new_full((*q.shape[:-1], 1), -torch.inf)
        den = torch.zeros_like(top)
        acc = torch.zeros_like(q)
        for s in range(0, k.shape[2], 6):
            sc = q @ k[:, :, s : s + 6].mT * scale
            new = torch.maximum(top, sc.amax(-1, keepdim=True))
            fix = torch.exp(top - new)
            p = torch.exp(sc - new)
            den = den * fix + p.sum(-1, keepdim=True)
            acc = acc * fix + p @ v[:, :, s : s + 6]
            top = new
        return acc / den

    return actual, expected, (q, k, v)


@pair("layer_norm_moments", "norm", "Nothing is wrong: the variance is taken as the mean square less the squared mean.", kind="honest")
def _(seed):
    g = _gen(seed, 202)
    ln = _fill(nn.LayerNorm(24), g, 1.0)
    x = _rn(g, 5, 7, 24) * 2 + 0.2

    def actual(x):
        s1 = x.sum(-1, keepdim=True) / 24
        s2 = x.square().sum(-1, keepdim=True) / 24
        inv = (s2 - s1 * s1 + 1e-5).rsqrt()
        return x * (inv * ln.weight) + (ln.bias - s1 * inv * ln.weight)

    return actual, ln, (x,)


@pair(
    "depthwise_separable_by_shifts",
    "vision",
    "Nothing is wrong: a depthwise and a pointwise convolution written as shifted sums and one product.",
    kind="honest",
)
def _(seed):
    g = _gen(seed, 203)
    dw = _fill(nn.Conv2d(5, 5, 3, padding=1, groups=5), g, 0.4)
    pw = _fill(nn.Conv2d(5, 8, 1), g, 0.4)
    net = nn.Sequential(dw, nn.Hardswish(), pw)
    x = _rn(g, 2, 5, 10, 12)

    def actual(x):
        p = F.pad(x, (1, 1, 1, 1))
        h, w = x.shape[2:]
        y = dw.bias[:, None, None].expand_as(x).clone()
        for i in range(3):
            for j in range(3):
                y += dw.weight[:, 0, i, j, None, None] * p[:, :, i : i + h, j : j + w]
        y = y * (y + 3).clamp(0, 6) / 6
        return torch.tensordot(pw.weight[:, :, 0, 0], y, dims=([1], [1])).transpose(0, 1) + pw.bias[:, None, None]

    return actual, net, (x,)


@pair("gru_written_out", "recurrent", "Nothing is wrong: a two-direction GRU written as loops.", kind="honest")
def _(seed):
    g = _gen(seed, 204)
    gru = _fill(nn.GRU(4, 6, bidirectional=True, batch_first=True), g, 0.4)
    x = _rn(g, 2, 9, 4)

    def expected(x):
        return gru(x)[0]

    def run(x, wi, wh, bi, bh, steps):
        h = x.new_zeros(x.shape[0], 6)
        seen = {}
        for t in steps:
            a = x[:, t] @ wi.T + bi
            b = h @ wh.T + bh
            rz = torch.sigmoid(a[:, :12] + b[:, :12])
            n = torch.tanh(a[:, 12:] + rz[:, :6] * b[:, 12:])
            h = n + rz[:, 6:] * (h - n)
            seen[t] = h
        return torch.stack([seen[t] for t in range(x.shape[1])], 1)

    def actual(x):
        fwd = run(x, gru.weight_ih_l0, gru.weight_hh_l0, gru.bias_ih_l0, gru.bias_hh_l0, range(9))
        bwd = run(x, gru.weight_ih_l0_reverse, gru.weight_hh_l0_reverse, gru.bias_ih_l0_reverse, gru.bias_hh_l0_reverse, range(8, -1, -1))
        return torch.cat((fwd, bwd), -1)

    return actual, expected, (x,)


@pair("adam_folded_step", "optimizer", "Nothing is wrong: both bias corrections are folded into the step size and eps.", kind="honest")
def _(seed):
    g = _gen(seed, 205)
    w = _rn(g, 30)
    grads = _rn(g, 7, 30)

    def expected(w, grads):
        p = nn.Parameter(w.clone())
        opt = torch.optim.Adam([p], lr=0.03, betas=(0.9, 0.99))
        for gr in grads:
            p.grad = gr.clone()
            opt.step()
        return p.detach()

    def actual(w, grads):
        m = v = torch.zeros_like(w)
        for t in range(1, 8):
            d = grads[t - 1]
            m = m + 0.1 * (d - m)
            v = v + 0.01 * (d * d - v)
            k = math.sqrt(1 - 0.99**t)
            w = w - 0.03 * k / (1 - 0.9**t) * m / (v.sqrt() + 1e-8 * k)
        return w

    return actual, expected, (w, grads)


@pair(
    "weighted_cross_entropy_by_hand",
    "loss",
    "Nothing is wrong: class-weighted cross entropy through a one-hot product.",
    kind="honest",
    scalar=True,
)
def _(seed):
    g = _gen(seed, 206)
    logits = _rn(g, 40, 6) * 3
    target = torch.randint(0, 6, (40,), generator=g)
    weight = 0.5 + _ru(g, 6)

    def expected(logits, target, weight):
        return F.cross_entropy(logits, target, weight=weight)

    def actual(logits, target, weight):
        hot = (target[:, None] == torch.arange(6)).to(logits.dtype) * weight
        z = logits - logits.max(1, keepdim=True).values
        logp = z - z.exp().sum(1, keepdim=True).log()
        return -(hot * logp).sum() / hot.sum()

    return actual, expected, (logits, target, weight)


@pair("stft_power_by_matrix", "audio", "Nothing is wrong: the power spectrum by products with cosine and sine tables.", kind="honest")
def _(seed):
    g = _gen(seed, 207)
    wav = _rn(g, 2, 300)

    def expected(wav):
        s = torch.stft(wav, 40, 10, win_length=32, window=torch.hamming_window(32, dtype=wav.dtype), center=False, return_complex=True)
        return s.real.square() + s.imag.square()

    def actual(wav):
        m = torch.arange(32, dtype=wav.dtype)
        win = F.pad(0.54 - 0.46 * torch.cos(2 * math.pi * m / 32), (4, 4))
        turn = (torch.arange(21)[:, None] * torch.arange(40)[None]) % 40
        ang = turn.to(wav.dtype) * (2 * math.pi / 40)
        table = torch.cat((ang.cos(), ang.sin())) * win
        y = F.conv1d(wav[:, None], table[:, None], stride=10)
        return (y * y).unflatten(1, (2, 21)).sum(1)

    return actual, expected, (wav,)


@pair(
    "graph_attention_dense",
    "graph",
    "Nothing is wrong: graph attention on a dense adjacency mask equals the edge-list softmax.",
    kind="honest",
)
def _(seed):
    g = _gen(seed, 208)
    n = 11
    mask = torch.rand(n, n, generator=g) < 0.3
    mask = mask | torch.eye(n, dtype=torch.bool)
    dst, src = mask.nonzero(as_tuple=True)
    x = _rn(g, n, 6)
    w = _rn(g, 6, 8) / 2
    a_src, a_dst = _rn(g, 8), _rn(g, 8)

    def expected(x, w, a_src, a_dst):
        h = x @ w
        e = F.leaky_relu((h * a_src).sum(-1)[src] + (h * a_dst).sum(-1)[dst], 0.2)
        e = torch.exp(e - e.max())
        total = torch.zeros(n, dtype=x.dtype).index_add_(0, dst, e)
        return torch.zeros_like(h).index_add_(0, dst, (e / total[dst])[:, None] * h[src])

    def actual(x, w, a_src, a_dst):
        h = F.linear(x, w.T)
        s = (h @ a_dst).unsqueeze(1) + (h @ a_src).unsqueeze(0)
        s = torch.where(s >= 0, s, 0.2 * s).masked_fill(~mask, -torch.inf)
        return s.softmax(1) @ h

    return actual, expected, (x, w, a_src, a_dst)


@pair(
    "bilinear_by_matrices",
    "vision",
    "Nothing is wrong: half-pixel bilinear resizing as a product with two interpolation matrices.",
    kind="honest",
)
def _(seed):
    g = _gen(seed, 209)
    img = _ru(g, 1, 3, 12, 9)

    def expected(img):
        return F.interpolate(img, size=(20, 15), mode="bilinear", align_corners=False)

    def weights(n_in, n_out, like):
        pos = ((torch.arange(n_out, dtype=like.dtype) + 0.5) * (n_in / n_out) - 0.5).clamp(0, n_in - 1)
        return (1 - (pos[:, None] - torch.arange(n_in, dtype=like.dtype)).abs()).clamp_min(0)

    def actual(img):
        return torch.einsum("yh,bchw,xw->bcyx", weights(12, 20, img), img, weights(9, 15, img))

    return actual, expected, (img,)


@pair(
    "retention_in_chunks",
    "recurrent",
    "Nothing is wrong: decayed linear attention by chunks equals the step-by-step recurrence.",
    kind="honest",
)
def _(seed):
    g = _gen(seed, 210)
    q, k, v = (_rn(g, 2, 16, 6) for _ in range(3))
    decay = 0.9

    def expected(q, k, v):
        s = q.new_zeros(q.shape[0], 6, 6)
        out = []
        for t in range(q.shape[1]):
            s = decay * s + k[:, t, :, None] * v[:, t, None, :]
            out.append((q[:, t, None] @ s).squeeze(1))
        return torch.stack(out, 1)

    def actual(q, k, v):
        c = 4
        i = torch.arange(c, dtype=q.dtype)
        inner = (decay ** (i[:, None] - i[None, :])).tril()
        carry = torch.zeros(q.shape[0], 6, 6, dtype=q.dtype)
        out = torch.empty_like(v)
        for s in range(0, q.shape[1], c):
            qc, kc, vc = q[:, s : s + c], k[:, s : s + c], v[:, s : s + c]
            out[:, s : s + c] = (qc @ kc.mT * inner) @ vc + (decay ** (i + 1))[:, None] * (qc @ carry)
            carry = decay**c * carry + (kc * (decay ** (c - 1 - i))[:, None]).mT @ vc
        return out

    return actual, expected, (q, k, v)
