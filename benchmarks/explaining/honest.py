"""Pairs that compute the same: other orders, other algorithms, other kernels, right ports; nothing is to be found but rounding."""

from __future__ import annotations

import copy
import math

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.utils.fusion import fuse_conv_bn_eval

from .building import Block, Encoder, Pictures, angles_of, gru_by_hand, halves, in_numpy, lstm_by_hand, settle, weights_of
from .registry import honest


@honest(report=1)
def product_then_bias(seed):
    w, b = torch.randn(40, 300), torch.randn(40)
    return (lambda x: x @ w.T + b), lambda x: F.linear(x, w.to(x.dtype), b.to(x.dtype)), (torch.randn(12, 300),)


@honest(report=5, note="terms in another order")
def permuted_dot(seed):
    at = torch.randperm(4000)
    return (lambda a, b: a[at] @ b[at]), torch.dot, (torch.randn(4000), torch.randn(4000))


@honest(report=4)
def sum_of_products(seed):
    return (lambda x, w: (x * w).sum(-1)), lambda x, w: x @ w, (torch.randn(9, 500), torch.randn(500))


@honest(report=11, note="im2col and one product")
def unfolded_convolution(seed):
    conv = nn.Conv2d(6, 10, 3, stride=2, padding=1)

    def actual(x):
        y = conv.weight.flatten(1) @ F.unfold(x, 3, padding=1, stride=2) + conv.bias[:, None]
        return y.unflatten(-1, ((x.shape[2] + 1) // 2, (x.shape[3] + 1) // 2))

    return actual, conv, (torch.randn(2, 6, 13, 15),)


@honest("Winograd", note="F(2, 3) along rows")
def small_tiles(seed):
    w = torch.randn(5, 4, 3)

    def actual(x):
        a, b, c = w.unbind(-1)
        u = (a, (a + b + c) / 2, (a - b + c) / 2, c)
        d = x.unfold(2, 4, 2).unbind(-1)
        v = (d[0] - d[2], d[1] + d[2], d[2] - d[1], d[1] - d[3])
        m = [torch.einsum("oi,bit->bot", p, q) for p, q in zip(u, v)]
        return torch.stack([m[0] + m[1] + m[2], m[1] - m[2] - m[3]], -1).flatten(2)

    return actual, lambda x: F.conv1d(x, w.to(x.dtype)), (torch.randn(3, 4, 34),)


@honest("FFT")
def by_transform(seed):
    kernel = torch.randn(3, 2, 7)

    def actual(x):
        n = x.shape[-1]
        y = torch.einsum("bif,oif->bof", torch.fft.rfft(x, n), torch.fft.rfft(kernel, n).conj())
        return torch.fft.irfft(y, n)[..., : n - 6]

    return actual, lambda x: F.conv1d(x, kernel.to(x.dtype)), (torch.randn(2, 2, 50),)


@honest(note="Welford's recurrence against two passes")
def running_moments(seed):
    def actual(x):
        mean, square = torch.zeros_like(x[:, 0]), torch.zeros_like(x[:, 0])
        for i in range(x.shape[1]):
            delta = x[:, i] - mean
            mean = mean + delta / (i + 1)
            square = square + delta * (x[:, i] - mean)
        return mean, square / x.shape[1]

    return actual, lambda x: (x.mean(1), (x - x.mean(1, keepdim=True)).square().mean(1)), (5 + torch.randn(6, 80),)


@honest(note="softmax in blocks with a running maximum, and its weighted sum")
def online(seed):
    def actual(q, k, v):
        top = q.new_full((*q.shape[:-1], 1), -math.inf)
        total, out = torch.zeros_like(top), torch.zeros_like(q)
        for a, b in zip(k.split(7, -2), v.split(7, -2)):
            s = q @ a.mT / math.sqrt(q.shape[-1])
            new = torch.maximum(top, s.amax(-1, keepdim=True))
            p = torch.exp(s - new)
            total = total * torch.exp(top - new) + p.sum(-1, keepdim=True)
            out = out * torch.exp(top - new) + p @ b
            top = new
        return out / total

    return actual, F.scaled_dot_product_attention, (torch.randn(2, 10, 16), torch.randn(2, 30, 16), torch.randn(2, 30, 16))


@honest(report=2, note="a right port of an encoder block to NumPy")
def block_in_numpy(seed):
    block = settle(Block(24, 3, form="tanh"))
    return in_numpy(block), block, (torch.randn(2, 9, 24),)


@honest(report=168, note="a right LSTM in NumPy")
def lstm_in_numpy(seed):
    layer = nn.LSTM(5, 8, batch_first=True)
    w_x, w_h, b_x, b_h = (p.numpy() for p in weights_of(layer))

    def sigmoid(t):
        return 1 / (1 + np.exp(-t))

    def actual(x):
        a = np.asarray(x)
        h = c = np.zeros((len(a), 8), a.dtype)
        states = []
        for t in range(a.shape[1]):
            i, f, g, o = np.split(a[:, t] @ w_x.T + b_x + h @ w_h.T + b_h, 4, axis=1)
            c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
            h = sigmoid(o) * np.tanh(c)
            states.append(h)
        return np.stack(states, 1)

    return actual, lambda x: layer(x)[0], (torch.randn(3, 10, 5),)


@honest(note="LSTM and GRU by hand in torch, a network of both")
def recurrent_by_hand(seed):
    one, two, out = nn.LSTM(4, 8, batch_first=True), nn.GRU(8, 6, batch_first=True), nn.Linear(6, 2)
    w_x, w_h, b_x, b_h = weights_of(one)
    w = weights_of(two)

    def actual(x):
        return out(gru_by_hand(lstm_by_hand(x, w_x, w_h, b_x + b_h), *w)[:, -1])

    return actual, lambda x: out(two(one(x)[0])[1][-1]), (torch.randn(3, 7, 4),)


@honest(note="BatchNorm folded into the convolutions")
def folded(seed):
    expected = settle(Pictures())
    actual = copy.deepcopy(expected)
    actual.one, actual.norm_one = fuse_conv_bn_eval(actual.one, actual.norm_one), nn.Identity()
    actual.two, actual.norm_two = fuse_conv_bn_eval(actual.two, actual.norm_two), nn.Identity()
    return actual, expected, (torch.randn(3, 3, 16, 16),)


@honest(note="compiled")
def compiled(seed):
    def expected(x):
        h = torch.tanh(x * 1.5 + 0.2)
        return h * torch.sigmoid(x) + torch.softmax(x, -1)

    return torch.compile(expected), expected, (torch.randn(8, 33),)


@honest("memory format", report=44, note="channels_last, weights too")
def channels_last(seed):
    expected = settle(Pictures())
    actual = copy.deepcopy(expected).to(memory_format=torch.channels_last)
    return (lambda x: actual(x.contiguous(memory_format=torch.channels_last))), expected, (torch.randn(2, 3, 20, 20),)


@honest("threads", report=28, note="one thread against two")
def one_thread(seed):
    net = nn.Sequential(nn.Linear(400, 300), nn.ReLU(), nn.Linear(300, 20))

    def actual(x):
        before = torch.get_num_threads()
        torch.set_num_threads(2)
        try:
            return net(x).mean(0)
        finally:
            torch.set_num_threads(before)

    return actual, lambda x: net(x).mean(0), (torch.randn(64, 400),)


@honest("oneDNN", note="a network of convolutions without oneDNN")
def native_convolutions(seed):
    net = nn.Sequential(
        nn.Conv2d(3, 12, 5, stride=2), nn.SiLU(), nn.Conv2d(12, 12, 3, groups=4), nn.SiLU(), nn.Flatten(), nn.Linear(12 * 36, 5)
    )

    def actual(x):
        with torch.backends.mkldnn.flags(enabled=False):
            return net(x)

    return actual, net, (torch.randn(2, 3, 20, 20),)


@honest("SDPA kernel", report=82, note="attention by hand against the fused kernel, in a causal block")
def attention_by_hand(seed):
    block = settle(Block(32, 4, causal=True))
    layer = block.attention

    def expected(x):
        q, k, v = layer.qkv(block.first(x)).view(*x.shape[:2], 3, 4, 8).permute(2, 0, 3, 1, 4)
        x = x + layer.out(F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).flatten(2))
        return x + block.down(F.gelu(block.up(block.second(x))))

    return block, expected, (torch.randn(2, 17, 32),)


@honest(gradients=True, note="a layer norm and a gated layer by hand, forward and backward")
def differentiated(seed):
    norm, up, down = settle(nn.LayerNorm(20)), nn.Linear(20, 40), nn.Linear(20, 20)

    def expected(x):
        return down(F.glu(up(norm(x))))

    def actual(x):
        d = x - x.mean(-1, keepdim=True)
        h = d * torch.rsqrt(d.square().mean(-1, keepdim=True) + 1e-5) * norm.weight + norm.bias
        a, b = (h @ up.weight.T + up.bias).chunk(2, -1)
        return (a / (1 + torch.exp(-b))) @ down.weight.T + down.bias

    return actual, expected, (torch.randn(6, 20),)


@honest("SDPA kernel", note="one kernel against the other, with a mask")
def kernels(seed):
    mask = torch.rand(20, 24) > 0.3
    mask[:, 0] = True

    def by(backend):
        def forward(q, k, v):
            with sdpa_kernel(backend):
                return F.scaled_dot_product_attention(q, k, v, attn_mask=mask)

        return forward

    inputs = (torch.randn(1, 2, 20, 16), torch.randn(1, 2, 24, 16), torch.randn(1, 2, 24, 16))
    return by(SDPBackend.MATH), by(SDPBackend.FLASH_ATTENTION), inputs


@honest(note="AdamW over all tensors at once against one by one")
def many_at_once(seed):
    shapes = ((6, 4), (6,), (3, 6), (3,))
    start = [torch.randn(s) for s in shapes]

    def run(at_once):
        def step(*gradients):
            parameters = [nn.Parameter(p.to(gradients[0].dtype).clone()) for p in start]
            optimizer = torch.optim.AdamW(parameters, lr=1e-2, foreach=at_once)
            for _ in range(3):
                for p, g in zip(parameters, gradients):
                    p.grad = g.clone()
                optimizer.step()
            return tuple(p.detach() for p in parameters)

        return step

    return run(True), run(False), tuple(torch.randn(s) for s in shapes)


@honest(note="Adam by hand, its formula as in the paper")
def paper_adam(seed):
    def actual(p, *gradients):
        m, v = torch.zeros_like(p), torch.zeros_like(p)
        for t, g in enumerate(gradients, 1):
            m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g**2
            p = p - 1e-2 * (m / (1 - 0.9**t)) / (torch.sqrt(v / (1 - 0.999**t)) + 1e-8)
        return p

    def expected(p, *gradients):
        q = nn.Parameter(p.clone())
        optimizer = torch.optim.Adam([q], lr=1e-2)
        for g in gradients:
            q.grad = g.clone()
            optimizer.step()
        return q.detach()

    return actual, expected, (torch.randn(50), *(torch.randn(50) for _ in range(3)))


@honest("batch size", report=27, note="a GRU on parts of the batch")
def parts_of_batch(seed):
    layer = nn.GRU(24, 40, batch_first=True)
    return (lambda x: torch.cat([layer(part)[0] for part in x.split((1, 4, 5))])), lambda x: layer(x)[0], (torch.randn(10, 6, 24),)


@honest(report=25, note="bmm, mm and einsum")
def same_products(seed):
    def actual(a, b):
        return torch.stack([x @ y for x, y in zip(a, b)])

    return actual, lambda a, b: torch.einsum("bij,bjk->bik", a, b), (torch.randn(3, 14, 90), torch.randn(3, 90, 11))


@honest(note="rotary embedding in complex numbers, the same pairs, in another layout of the same halves")
def complex_rotary(seed):
    angles = angles_of(12, 16)

    def actual(q):
        a, b = q.chunk(2, -1)
        z = torch.complex(a, b) * torch.polar(torch.ones_like(angles), angles)
        return torch.cat([z.real, z.imag], -1)

    return actual, lambda q: halves(q, angles.to(q.dtype)), (torch.randn(2, 2, 12, 16),)


@honest(report=139, note="reciprocal multiplied instead of a division")
def reciprocal(seed):
    return (lambda x: x * (1 / 50)), lambda x: x / 50, (100 * torch.rand(8, 40),)


@honest(report=121, note="cross-entropy as logsumexp minus the label's logit, large and small logits")
def loss_by_hand(seed):
    labels = torch.randint(0, 9, (20,))

    def actual(z):
        return (torch.logsumexp(z, -1) - z.gather(1, labels[:, None])[:, 0]).mean()

    return actual, lambda z: F.cross_entropy(z, labels), (8 * torch.randn(20, 9),)


@honest(note="weighted gradient accumulation, right: sums of losses over all tokens")
def right_accumulation(seed):
    net, labels = nn.Sequential(nn.Linear(5, 10), nn.Tanh(), nn.Linear(10, 4)), torch.randint(0, 4, (18,))
    labels[[0, 1, 2, 11]] = -100

    def gradients(x, size):
        one = copy.deepcopy(net).to(x.dtype)
        count = (labels != -100).sum()
        total = None
        for a, b in zip(x.split(size), labels.split(size)):
            with torch.enable_grad():
                loss = F.cross_entropy(one(a), b, reduction="sum") / count
                parts = torch.autograd.grad(loss, list(one.parameters()))
            total = parts if total is None else tuple(s + t for s, t in zip(total, parts))
        return total

    return (lambda x: gradients(x, 6)), lambda x: gradients(x, 18), (torch.randn(18, 5),)


@honest(report=127, note="instance norm without epsilon by hand")
def no_epsilon(seed):
    def actual(x):
        d = x - x.mean((2, 3), keepdim=True)
        return d / d.square().mean((2, 3), keepdim=True).sqrt()

    return actual, lambda x: F.instance_norm(x, eps=0.0), (torch.randn(2, 4, 7, 9),)


@honest(note="the query, key and value projections one by one, the same encoder otherwise; copied")
def split_projections(seed):
    expected = settle(Encoder(depth=2))
    actual = copy.deepcopy(expected)
    for block in actual.blocks:
        q, k, v = ((w.detach(), b.detach()) for w, b in zip(block.attention.qkv.weight.chunk(3), block.attention.qkv.bias.chunk(3)))
        block.attention.qkv = _Three(q, k, v)
    return actual, expected, (torch.randint(0, 50, (2, 11)),)


class _Three(nn.Module):
    def __init__(self, *parts):
        super().__init__()
        self.weights = nn.ParameterList(w.clone() for w, _ in parts)
        self.biases = nn.ParameterList(b.clone() for _, b in parts)

    def forward(self, x):
        return torch.cat([x @ w.T + b for w, b in zip(self.weights, self.biases)], -1)


@honest(note="the same function twice")
def unchanged(seed):
    expected = settle(Pictures())
    return copy.deepcopy(expected), expected, (torch.randn(2, 3, 12, 12),)
